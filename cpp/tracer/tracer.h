// Counting inside a running program: a small extension of its own, without numpy or nanobind, so that a
// watched program loads nothing but this. Written against the plain C API; the tables know nothing of Python.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACER_NONE UINT32_MAX

// Tables in the mapped memory, in the order of TABLES in host/memory.py, which describes the layout.
enum { kNames, kFunctions, kSets, kTrees, kLines, kThreads, kTableCount };
enum { kFull = 1, kOverBudget = 2 };
enum { kDeepest = 4095, kThreadsMost = 64 };
enum { kException = 256, kExceptionMost = 248 };  // in the header: slot of its length, bytes of its name

typedef struct {
  uint32_t path, path_length, name, name_length, line, unused;
  uint64_t starts;
} FunctionEntry;

typedef struct {
  uint32_t smaller, tree;
} SetEntry;

typedef struct {
  uint32_t function, below;  // of a line: function and line
  uint64_t count;
} CountEntry;

typedef struct {
  uint64_t depth;
  struct {
    uint32_t function, below;
  } calls[kDeepest];
} ThreadEntry;

// The mapped tables. What decides where to write is kept in private memory (tables.c): whatever
// happens to the file, no index is taken from it unchecked.
extern struct TracerTables {
  uint64_t* header;
  char* names;
  FunctionEntry* functions;
  SetEntry* sets;
  CountEntry* trees;
  CountEntry* lines;
  ThreadEntry* threads;
  uint32_t generation;  // of these tables; numbers handed out under another one are void
} tracer_tables;

// Begins with the tables in this memory, which outlives their use. False: not such tables, or no memory.
bool tracer_tables_open(void* memory, size_t size);
void tracer_tables_close(void);

// Each returns the number of the entry, new or known, or TRACER_NONE where the table is full.
uint32_t tracer_function(const char* path, size_t path_length, const char* name, size_t name_length,
                         int line);
void tracer_found_at(uint32_t function, const char* path,
                     size_t length);  // where a watched function really is
uint32_t tracer_tree(uint32_t function, uint32_t below);
uint32_t tracer_line(uint32_t function, uint32_t line, bool may_add);
uint32_t tracer_set_with(uint32_t below, uint32_t tree);
// Notes the name of the exception that ends the program.
void tracer_exception(const char* name, size_t length);

typedef struct {
  uint32_t function;
  const void* frame;
} TracerCall;

// Call and return of a function in the present thread; the frame is for tracer_innermost and may be NULL.
// pop also ends the calls inside, and returns the tree that ended, or TRACER_NONE.
void tracer_push(uint32_t function, const void* frame);
uint32_t tracer_pop(uint32_t function);
// The last call whose end has not been seen; false: there is none.
bool tracer_innermost(TracerCall* call);

// Survive that someone cuts the file short: reading it would otherwise end the program with SIGBUS.
void tracer_guard(void* memory, size_t size);
void tracer_unguard(void);

// Maps a file for the rest of the process; NULL where that fails.
void* tracer_map(int descriptor, size_t size);
