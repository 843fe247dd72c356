// The tables of counters: functions, sets of trees, trees and lines, each entry made once and found again by
// hash.
#include <stdlib.h>
#include <string.h>

#include "tracer.h"

enum { kHeaderSlots = 512, kFlags = 5, kFirstTable = 6, kRecentBits = 14, kRecentPaths = 1 << 10 };

struct TracerTables tracer_tables;

// Keys of a table's entries in private memory, with slots of numbers for open addressing.
typedef struct {
  uint64_t* keys;
  uint32_t* slots;  // number + 1; 0: free
  uint32_t mask, used, capacity;
} Index;

// The last ends of calls: what ended, in which set it was put, and what came of it. A conflict only means to
// work it out again. Small, so that it stays in the cache: programs do the same few things most of the time.
typedef struct {
  uint32_t function, below, above;
  uint32_t tree, with;  // tree + 1; 0: nothing remembered
} RecentEnd;

static Index sets, trees, lines;
static SetEntry* set_parts;
static RecentEnd* recent;
static const void** frames;  // of the calls of all threads, next to those in the mapped memory
static struct {
  uint32_t offset, length;
} recent_paths[kRecentPaths];
static uint32_t names_used, names_capacity, functions_used, functions_capacity, threads_capacity;
static uint64_t threads_taken;  // one bit a block

// Initial-exec: one instruction to reach them, and a few bytes of the space that programs keep for this.
static _Thread_local ThreadEntry* thread __attribute__((tls_model("initial-exec")));
static _Thread_local uint32_t thread_generation __attribute__((tls_model("initial-exec")));

static inline uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline uint64_t pair(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

static void publish(int table, uint32_t used) {
  // After the entry itself: who reads the file after the process was killed must not find half an entry.
  __atomic_store_n(&tracer_tables.header[kFirstTable + 3 * table + 2], used, __ATOMIC_RELEASE);
}

static uint32_t full(void) {
  tracer_tables.header[kFlags] |= kFull;
  return TRACER_NONE;
}

static bool index_open(Index* index, uint64_t capacity) {
  uint32_t slots = 16;
  while (slots < 2 * capacity) slots *= 2;
  index->keys = calloc(capacity, sizeof *index->keys);
  index->slots = calloc(slots, sizeof *index->slots);
  index->mask = slots - 1;
  index->used = 0;
  index->capacity = (uint32_t)capacity;
  return index->keys != NULL && index->slots != NULL;
}

static void index_close(Index* index) {
  free(index->keys);
  free(index->slots);
  memset(index, 0, sizeof *index);
}

void tracer_exception(const char* name, size_t length) {
  uint64_t* slot = &tracer_tables.header[kException];
  if (length > kExceptionMost) length = kExceptionMost;
  __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
  memcpy(slot + 1, name, length);
  __atomic_store_n(slot, length, __ATOMIC_RELEASE);
}

// The entry with this key, or the slot where it belongs.
static inline uint32_t find(const Index* index, uint64_t key, uint32_t* slot) {
  uint32_t place = (uint32_t)mix(key) & index->mask;
  while (index->slots[place] != 0) {
    uint32_t number = index->slots[place] - 1;
    if (index->keys[number] == key) return number;
    place = (place + 1) & index->mask;
  }
  *slot = place;
  return TRACER_NONE;
}

static uint32_t append(Index* index, uint64_t key, uint32_t slot) {
  if (index->used >= index->capacity) return full();
  uint32_t number = index->used++;
  index->keys[number] = key;
  index->slots[slot] = number + 1;
  return number;
}

bool tracer_tables_open(void* memory, size_t size) {
  static const size_t kSizes[kTableCount] = {1,
                                             sizeof(FunctionEntry),
                                             sizeof(SetEntry),
                                             sizeof(CountEntry),
                                             sizeof(CountEntry),
                                             sizeof(ThreadEntry)};
  uint64_t* header = memory;
  char* first[kTableCount];
  uint64_t capacity[kTableCount];
  if (size < kHeaderSlots * sizeof *header) return false;
  for (int table = 0; table < kTableCount; ++table) {
    uint64_t offset = header[kFirstTable + 3 * table];
    capacity[table] = header[kFirstTable + 3 * table + 1];
    if (offset % 8 != 0 || offset > size || capacity[table] > (size - offset) / kSizes[table]) return false;
    if (capacity[table] > UINT32_MAX / 4) return false;
    first[table] = (char*)memory + offset;
  }
  tracer_tables_close();
  tracer_tables = (struct TracerTables){.header = header,
                                        .names = first[kNames],
                                        .functions = (FunctionEntry*)first[kFunctions],
                                        .sets = (SetEntry*)first[kSets],
                                        .trees = (CountEntry*)first[kTrees],
                                        .lines = (CountEntry*)first[kLines],
                                        .threads = (ThreadEntry*)first[kThreads],
                                        .generation = tracer_tables.generation + 1};
  names_used = functions_used = 0;
  names_capacity = (uint32_t)capacity[kNames];
  functions_capacity = (uint32_t)capacity[kFunctions];
  threads_capacity = capacity[kThreads] < kThreadsMost ? (uint32_t)capacity[kThreads] : kThreadsMost;
  threads_taken = 0;
  set_parts = calloc(capacity[kSets], sizeof *set_parts);
  recent = calloc(1 << kRecentBits, sizeof *recent);
  frames = calloc((size_t)threads_capacity * kDeepest, sizeof *frames);
  bool opened = index_open(&sets, capacity[kSets]) & index_open(&trees, capacity[kTrees]) &
                index_open(&lines, capacity[kLines]);
  if (!opened || set_parts == NULL || recent == NULL || frames == NULL) {
    tracer_tables_close();
    return false;
  }
  uint32_t slot = 0;
  find(&sets, 0, &slot);
  append(&sets, 0, slot);  // the empty set
  return true;
}

void tracer_tables_close(void) {
  index_close(&sets);
  index_close(&trees);
  index_close(&lines);
  free(set_parts);
  free(recent);
  free(frames);
  set_parts = NULL;
  recent = NULL;
  frames = NULL;
  memset(recent_paths, 0, sizeof recent_paths);
}

static uint32_t add_text(const char* text, size_t length) {
  if (length > names_capacity - names_used) return full();
  uint32_t offset = names_used;
  memcpy(tracer_tables.names + offset, text, length);
  names_used += (uint32_t)length;
  publish(kNames, names_used);
  return offset;
}

static uint32_t add_path(const char* path, size_t length) {
  uint64_t hash = length;
  for (size_t i = 0; i < length; ++i) hash = hash * 0x100000001b3u ^ (unsigned char)path[i];
  uint32_t place = (uint32_t)(mix(hash) % kRecentPaths), offset = recent_paths[place].offset;
  if (recent_paths[place].length == length && memcmp(tracer_tables.names + offset, path, length) == 0) {
    return offset;
  }
  offset = add_text(path, length);
  if (offset != TRACER_NONE) {
    recent_paths[place].offset = offset;
    recent_paths[place].length = (uint32_t)length;
  }
  return offset;
}

uint32_t tracer_function(const char* path, size_t path_length, const char* name, size_t name_length,
                         int line) {
  if (functions_used >= functions_capacity) return full();
  uint32_t at = add_path(path, path_length), name_at = add_text(name, name_length);
  if (at == TRACER_NONE || name_at == TRACER_NONE) return TRACER_NONE;
  tracer_tables.functions[functions_used] = (FunctionEntry){
      at, (uint32_t)path_length, name_at, (uint32_t)name_length, line > 0 ? (uint32_t)line : 0, 0, 0};
  publish(kFunctions, functions_used + 1);
  return functions_used++;
}

void tracer_found_at(uint32_t function, const char* path, size_t length) {
  uint32_t at = function < functions_used ? add_path(path, length) : TRACER_NONE;
  if (at == TRACER_NONE) return;
  tracer_tables.functions[function].path = at;
  tracer_tables.functions[function].path_length = (uint32_t)length;
}

uint32_t tracer_tree(uint32_t function, uint32_t below) {
  uint32_t slot = 0, number = find(&trees, pair(function, below), &slot);
  if (number != TRACER_NONE) return number;
  number = append(&trees, pair(function, below), slot);
  if (number == TRACER_NONE) return number;
  tracer_tables.trees[number] = (CountEntry){function, below, 0};
  publish(kTrees, trees.used);
  return number;
}

uint32_t tracer_line(uint32_t function, uint32_t line, bool may_add) {
  uint32_t slot = 0, number = find(&lines, pair(function, line), &slot);
  if (number != TRACER_NONE || !may_add) return number;
  number = append(&lines, pair(function, line), slot);
  if (number == TRACER_NONE) return number;
  tracer_tables.lines[number] = (CountEntry){function, line, 0};
  publish(kLines, lines.used);
  return number;
}

uint32_t tracer_set_with(uint32_t below, uint32_t tree) {
  for (uint32_t set = below; set != 0; set = set_parts[set].smaller) {
    if (set_parts[set].tree == tree) return below;
  }
  // A set's key is the same in whatever order its trees came. Two sets of one key are not expected before
  // 2^32 sets.
  uint64_t key = sets.keys[below] ^ mix(tree);
  uint32_t slot = 0, number = find(&sets, key, &slot);
  if (number != TRACER_NONE) return number;
  number = append(&sets, key, slot);
  if (number == TRACER_NONE) return below;
  set_parts[number] = tracer_tables.sets[number] = (SetEntry){below, tree};
  publish(kSets, sets.used);
  return number;
}

// A thread holds a block only while it is in a traced call: threads that have ended give theirs back so.
static bool take_block(void) {
  for (uint32_t block = 0; block < threads_capacity; ++block) {
    if (threads_taken >> block & 1) continue;
    threads_taken |= UINT64_C(1) << block;
    thread = &tracer_tables.threads[block];
    thread->depth = 0;
    thread_generation = tracer_tables.generation;
    if (tracer_tables.header[kFirstTable + 3 * kThreads + 2] <= block) publish(kThreads, block + 1);
    return true;
  }
  full();
  return false;
}

static void give_block(void) {
  threads_taken &= ~(UINT64_C(1) << (thread - tracer_tables.threads));
  thread = NULL;
}

static inline bool has_block(void) {
  return thread != NULL && thread_generation == tracer_tables.generation;
}

static inline const void** frame_at(uint64_t depth) {
  return &frames[(size_t)(thread - tracer_tables.threads) * kDeepest + depth];
}

void tracer_push(uint32_t function, const void* frame) {
  if (!has_block() && !take_block()) return;
  uint64_t depth = thread->depth;
  if (depth < kDeepest) {
    thread->calls[depth].function = function;
    thread->calls[depth].below = 0;
    if (frame != NULL) *frame_at(depth) = frame;
  } else {
    full();
  }
  thread->depth = depth + 1;
}

static inline uint32_t known_set(uint32_t set) {
  return set < sets.used ? set : 0;
}

// Ends the call at this depth: counts its tree and adds it to what its caller has called.
static uint32_t end_call(uint64_t depth) {
  uint32_t function = thread->calls[depth].function, below = known_set(thread->calls[depth].below);
  uint32_t above = depth > 0 ? known_set(thread->calls[depth - 1].below) : 0;
  uint64_t hash = (pair(function, below) + (uint64_t)above * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  RecentEnd* known = &recent[hash >> (64 - kRecentBits)];
  if (known->function != function || known->below != below || known->above != above || known->tree == 0) {
    uint32_t tree = tracer_tree(function, below);
    if (tree == TRACER_NONE) return tree;
    *known = (RecentEnd){function, below, above, tree + 1, tracer_set_with(above, tree)};
  }
  uint32_t tree = known->tree - 1;
  tracer_tables.trees[tree].count++;
  if (depth > 0) thread->calls[depth - 1].below = known->with;
  return tree;
}

bool tracer_innermost(TracerCall* call) {
  if (!has_block() || thread->depth == 0) return false;
  uint64_t last = (thread->depth < kDeepest ? thread->depth : kDeepest) - 1;
  *call = (TracerCall){thread->calls[last].function, *frame_at(last)};
  return true;
}

uint32_t tracer_pop(uint32_t function) {
  if (!has_block() || thread->depth == 0) return TRACER_NONE;  // it began before the tracer did
  uint64_t depth = thread->depth - 1;
  uint32_t tree = TRACER_NONE;
  if (depth >= kDeepest) {
    thread->depth = depth;
    return tree;
  }
  // Where a program switches stacks itself (greenlets), or nobody reports that an exception ends calls, the
  // end of a call can go unseen: look for its caller.
  uint64_t level = depth;
  while (thread->calls[level].function != function) {
    if (level == 0) return tree;
    --level;
  }
  for (uint64_t ended = depth + 1; ended > level; --ended) {
    thread->depth = ended - 1;  // first: whoever is killed in between must not leave a call that counts twice
    tree = end_call(ended - 1);
  }
  if (level == 0) give_block();
  return tree;
}
