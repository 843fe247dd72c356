// What the parts of the extension that know Python share.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <time.h>

#include "tracer.h"

#ifdef Py_GIL_DISABLED
#error "The tracer counts under the GIL; on free-threaded Python its twin in plain Python is used."
#endif

#if PY_VERSION_HEX < 0x030C0000  // the same functions under their older names
#define PyUnstable_Eval_RequestCodeExtraIndex _PyEval_RequestCodeExtraIndex
#define PyUnstable_Code_GetExtra _PyCode_GetExtra
#define PyUnstable_Code_SetExtra _PyCode_SetExtra
#endif

extern struct TracerState {
  Py_buffer memory;
  bool running, trees, lines, over_budget;
  bool shared;               // the memory is a mapped file, which a child of fork shares
  bool plain;                // running, and every start is only to be counted
  bool by_frame;             // whether a call has ended is found out from frames: PY_UNWIND may not be on
  PyObject* watch;           // qualified name -> tuple of (path, line, number); NULL: count everything
  PyObject* disable;         // sys.monitoring.DISABLE; NULL before 3.12
  PyObject* on_selected;     // called with a code object and its number when a watched function is first met
  PyObject* scope_variable;  // a contextvars.ContextVar
  uint64_t scopes_open;
  unsigned long main_thread;
  bool failed;                    // the program is about to exit with a status other than 0
  uint32_t n_functions, n_lines;  // that are watched
  Py_ssize_t extra;               // index into each code object's co_extra
  uint64_t events, budget;        // budget: watched events per second; 0: no limit
  struct timespec since;
} tracer_state;

// Counts of one request, next to those of the process.
typedef struct {
  PyObject_HEAD uint64_t* counts;  // of functions, then trees, then lines
  uint32_t functions, trees, lines;
} TracerScope;

extern PyTypeObject TracerScopeType;

static inline bool tracer_counts(void) {
  return tracer_state.running && !tracer_state.over_budget;
}

// Calls back with up to two arguments, unseen: no exception comes of it, and nothing that traces the program
// is told.
void tracer_call(PyObject* callback, PyObject* first, PyObject* second);
// The number of a code object's function, in a first meeting with it; TRACER_NONE where it is not watched.
uint32_t tracer_meet(PyObject* code);
// Whether a code object's file is the one with this relative path.
bool tracer_is_file(PyObject* filename, PyObject* path);

// A start (or, with starts false, a resumption), an end, and a line; false where it is of no interest.
void tracer_tick(uint32_t function);
bool tracer_begin(PyObject* code, bool starts);
void tracer_end(PyObject* code);
bool tracer_reach(PyObject* code, long line);

// Has the interpreter's audit events heard, once and for all: exceptions that nobody catches are noted, and
// the others handed on.
typedef void TracerHeard(const char* event, PyObject* args);
bool tracer_listen(TracerHeard* also);
// Whether this is the interpreter that counts; not to be asked where there may be none.
bool tracer_is_here(void);

int tracer_add_hooks(PyObject* module);
PyObject* tracer_make_tick(PyObject* module, PyObject* number);

// Python 3.12 and later: finds the code of watched functions.
PyObject* tracer_find(PyObject* module, PyObject* args);

// Python 3.11: the profile and trace functions of a thread, and ticks inside the watched functions.
PyObject* tracer_profile_thread(PyObject* module, PyObject* args);
PyObject* tracer_on_exec(PyObject* module, PyObject* callback);
PyObject* tracer_replace_constant(PyObject* module, PyObject* args);
PyObject* tracer_note_path(PyObject* module, PyObject* args);
