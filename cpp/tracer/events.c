// What happens on starts, ends and lines of functions.
//
// Nothing here raises into the program, takes a lock, does I/O or looks at arguments and locals. Memory is
// allocated when counting begins, and by the interpreter once per function, never per event.
#include "events.h"

enum { kClockEvery = 1024 };

struct TracerState tracer_state = {.extra = -1};
#define state tracer_state

// ---- which function is this ----

static uint32_t register_function(PyCodeObject* code) {
  Py_ssize_t path_length = 0, name_length = 0;
  const char* path = PyUnicode_AsUTF8AndSize(code->co_filename, &path_length);
  const char* name = path == NULL ? NULL : PyUnicode_AsUTF8AndSize(code->co_qualname, &name_length);
  if (name == NULL) return TRACER_NONE;  // a name that is no text, as some file names are not
  return tracer_function(path, (size_t)path_length, name, (size_t)name_length, code->co_firstlineno);
}

// Whether this folder lies within installed packages or the standard library: a path from their top does not
// begin there. The twin is in host/selection.py.
static bool is_below_top(const char* folder, size_t length) {
  static const char* const kMarks[] = {"/site-packages/", "/dist-packages/", "/lib/python", "/lib/pypy"};
  const char *end = folder + length, *top = NULL;
  for (int mark = 0; mark < 4; ++mark) {
    if (mark == 2 && top != NULL) break;
    for (const char* start = folder; (start = strstr(start, kMarks[mark])) != NULL; ++start) {
      const char* next = start + strlen(kMarks[mark]);
      if (mark >= 2) {
        size_t version = strspn(next, "0123456789.t");
        if (version == 0 || next[version] != '/') continue;
        next += version + 1;
      }
      if (next <= end && (top == NULL || next > top)) top = next;
    }
  }
  return top != NULL && top != end;
}

bool tracer_is_file(PyObject* filename, PyObject* path) {
  if (PyUnicode_Tailmatch(filename, path, 0, PY_SSIZE_T_MAX, 1) != 1) return false;
  Py_ssize_t length = 0, tail = 0;
  const char* whole = PyUnicode_AsUTF8AndSize(filename, &length);
  if (whole == NULL || PyUnicode_AsUTF8AndSize(path, &tail) == NULL) {
    PyErr_Clear();
    return false;
  }
  if (length == tail) return true;
  char separator = whole[length - tail - 1];  // a whole component must have ended there
  return (separator == '/' || separator == '\\') && !is_below_top(whole, (size_t)(length - tail));
}

static uint32_t match_watched(PyCodeObject* code) {
  PyObject* candidates = PyDict_GetItemWithError(state.watch, code->co_qualname);
  if (candidates == NULL) return TRACER_NONE;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(candidates); ++i) {
    PyObject* one = PyTuple_GET_ITEM(candidates, i);
    if (PyLong_AsLong(PyTuple_GET_ITEM(one, 1)) != code->co_firstlineno) continue;
    if (!tracer_is_file(code->co_filename, PyTuple_GET_ITEM(one, 0))) continue;
    return (uint32_t)PyLong_AsUnsignedLong(PyTuple_GET_ITEM(one, 2));
  }
  return TRACER_NONE;
}

void tracer_call(PyObject* callback, PyObject* first, PyObject* second) {
  PyThreadState* thread = PyThreadState_Get();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyThreadState_EnterTracing(thread);
  Py_XDECREF(PyObject_CallFunctionObjArgs(callback, first, second, NULL));
  PyErr_Clear();
  PyThreadState_LeaveTracing(thread);
  PyErr_Restore(type, value, traceback);
}

// The number is kept in the code object itself, which costs no reference and no look-up by value (different
// code objects can be equal).
uint32_t tracer_meet(PyObject* code) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  uint32_t number =
      state.watch == NULL ? register_function((PyCodeObject*)code) : match_watched((PyCodeObject*)code);
  if (number != TRACER_NONE || state.watch == NULL) {
    uint64_t packed = (uint64_t)tracer_tables.generation << 32 | (uint32_t)(number + 1);
    if (PyUnstable_Code_SetExtra(code, state.extra, (void*)(uintptr_t)packed) != 0) number = TRACER_NONE;
  }
  if (number != TRACER_NONE && state.on_selected != NULL) {
    Py_ssize_t length = 0;
    const char* path = PyUnicode_AsUTF8AndSize(((PyCodeObject*)code)->co_filename, &length);
    if (path != NULL) tracer_found_at(number, path, (size_t)length);
    PyErr_Clear();
    PyObject* one = PyLong_FromUnsignedLong(number);
    if (one != NULL) tracer_call(state.on_selected, code, one);
    Py_XDECREF(one);
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  return number;
}

static inline void* note_in(PyObject* code) {
#if PY_VERSION_HEX < 0x030E0000
  // As PyUnstable_Code_GetExtra does it, without the call: it is wanted twice for every call that is traced.
  const struct {
    Py_ssize_t size;
    void* notes[1];
  }* extra = ((PyCodeObject*)code)->co_extra;
  return extra != NULL && extra->size > state.extra ? extra->notes[state.extra] : NULL;
#else
  void* note = NULL;
  PyUnstable_Code_GetExtra(code, state.extra, &note);
  return note;
#endif
}

static inline uint32_t function_of(PyObject* code, bool may_be_new) {
  void* packed = note_in(code);
  if ((uint64_t)(uintptr_t)packed >> 32 == tracer_tables.generation) {
    return (uint32_t)(uintptr_t)packed - 1;  // 0 - 1: known to have no number
  }
  return may_be_new ? tracer_meet(code) : TRACER_NONE;
}

// ---- which calls have ended ----

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
typedef struct Frame {  // how the interpreter's own frames begin
  PyObject* code;
  struct Frame* previous;
} Frame;

static inline const Frame* present_frame(void) {
#if PY_VERSION_HEX < 0x030D0000
  return (const Frame*)PyThreadState_Get()->cframe->current_frame;
#else
  return (const Frame*)PyThreadState_Get()->current_frame;
#endif
}

// Ends the calls that are not among the callers of this frame. Memory of frames is used again: it must be a
// frame of that function.
static void end_unwound(const Frame* frame) {
  TracerCall call;
  while (tracer_innermost(&call)) {
    const Frame* caller = frame->previous;
    while (caller != NULL && caller != call.frame) caller = caller->previous;
    if (caller != NULL && PyCode_Check(caller->code) && function_of(caller->code, false) == call.function)
      return;
    tracer_pop(call.function);
  }
}
#else
typedef void Frame;
static inline const Frame* present_frame(void) {
  return NULL;
}
static void end_unwound(const Frame* frame) {}
#endif

// ---- scopes: counts of one request ----

static void count_in_scope(uint32_t number, int table) {
  PyObject* scope = NULL;
  if (state.scopes_open == 0 || state.scope_variable == NULL || number == TRACER_NONE) return;
  if (PyContextVar_Get(state.scope_variable, NULL, &scope) != 0) {
    PyErr_Clear();
    return;
  }
  if (scope != NULL && Py_TYPE(scope) == &TracerScopeType) {
    TracerScope* self = (TracerScope*)scope;
    if (table == kFunctions && number < self->functions) self->counts[number]++;
    if (table == kTrees && number < self->trees) self->counts[self->functions + number]++;
    if (table == kLines && number < self->lines) self->counts[self->functions + self->trees + number]++;
  }
  Py_XDECREF(scope);
}

// ---- events ----

// Watching must stay cheap whatever the program does: with more events than the budget within a second it
// ends for good. A short burst is no reason.
static void check_budget(void) {
  if (state.budget == 0 || ++state.events % kClockEvery != 0) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds =
      (double)(now.tv_sec - state.since.tv_sec) + 1e-9 * (double)(now.tv_nsec - state.since.tv_nsec);
  if (seconds >= 1.0) {
    state.since = now;
    state.events = 0;
  } else if (state.events > state.budget) {
    state.over_budget = true;
    tracer_tables.header[5] |= kOverBudget;
  }
}

static PyObject* none_or_disable(bool disable) {
  return Py_NewRef(disable && state.disable != NULL ? state.disable : Py_None);
}

void tracer_tick(uint32_t function) {
  tracer_tables.functions[function].starts++;
  if (state.watch != NULL) {
    count_in_scope(function, kFunctions);
    check_budget();
  }
}

bool tracer_begin(PyObject* code, bool starts) {
  uint32_t function = function_of(code, true);
  if (function == TRACER_NONE) return false;
  if (starts) tracer_tick(function);
  if (state.trees) {
    const Frame* frame = state.by_frame ? present_frame() : NULL;
    if (frame != NULL) end_unwound(frame);
    tracer_push(function, frame);
  }
  return true;
}

void tracer_end(PyObject* code) {
  uint32_t function = function_of(code, false);
  if (function == TRACER_NONE) return;
  uint32_t tree = tracer_pop(function);
  if (state.watch != NULL) count_in_scope(tree, kTrees);
}

// Counts one arrival at a line; false where this line is of no interest.
bool tracer_reach(PyObject* code, long line) {
  uint32_t function = function_of(code, true);
  if (function == TRACER_NONE) return false;
  uint32_t number = tracer_line(function, (uint32_t)line, state.watch == NULL);
  if (number == TRACER_NONE) return false;
  tracer_tables.lines[number].count++;
  if (state.watch != NULL) {
    count_in_scope(number, kLines);
    check_budget();
  }
  return true;
}

// ---- what sys.monitoring calls ----

static PyObject* on_start(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (state.plain) {  // recording starts alone: nothing but the count, wherever the function is known
    uint64_t packed = (uint64_t)(uintptr_t)note_in(args[0]);
    uint32_t function = (uint32_t)packed - 1;
    if (packed >> 32 == tracer_tables.generation && function != TRACER_NONE) {
      tracer_tables.functions[function].starts++;
      Py_RETURN_NONE;
    }
  }
  if (!tracer_counts()) return none_or_disable(true);
  return none_or_disable(!tracer_begin(args[0], true) && state.watch != NULL);
}

static PyObject* on_resume(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (tracer_counts()) tracer_begin(args[0], false);
  Py_RETURN_NONE;
}

static PyObject* on_end(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (tracer_counts()) tracer_end(args[0]);
  Py_RETURN_NONE;
}

// Notes an exit with a status other than 0: SystemExit that leaves the outermost frame of the main thread.
static void note_exit(PyObject* exception) {
  if (!PyObject_TypeCheck(exception, (PyTypeObject*)PyExc_SystemExit)) return;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  PyFrameObject* above = frame == NULL ? NULL : PyFrame_GetBack(frame);
  if (frame != NULL && above == NULL && PyThread_get_thread_ident() == state.main_thread) {
    PyObject* code = ((PySystemExitObject*)exception)->code;
    state.failed = code != NULL && code != Py_None && !(PyLong_Check(code) && PyObject_Not(code) == 1);
  }
  Py_XDECREF(frame);
  Py_XDECREF(above);
}

static PyObject* on_unwind(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (tracer_counts() && state.trees) tracer_end(args[0]);
  if (state.watch != NULL) note_exit(args[2]);
  Py_RETURN_NONE;
}

static PyObject* on_line(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  if (!tracer_counts()) return none_or_disable(true);
  return none_or_disable(!tracer_reach(args[0], PyLong_AsLong(args[1])) && state.watch != NULL);
}

typedef struct {
  PyObject_HEAD vectorcallfunc call;
  uint32_t number;  // of the watched function that a tick counts
  PyObject* watch;  // what was watched when the tick was made; it counts nothing else
} Hook;

static void hook_dealloc(PyObject* self) {
  Py_XDECREF(((Hook*)self)->watch);
  PyObject_Free(self);
}

// A type of its own rather than a built-in function: calling it does not count against the recursion limit.
static PyTypeObject HookType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_tracer.Hook",
    .tp_basicsize = sizeof(Hook),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Hook, call),
    .tp_dealloc = hook_dealloc,
    .tp_call = PyVectorcall_Call,
};

static PyObject* make_hook(vectorcallfunc call, uint32_t number) {
  Hook* hook = PyObject_New(Hook, &HookType);
  if (hook == NULL) return NULL;
  hook->call = call;
  hook->number = number;
  hook->watch = Py_XNewRef(state.watch);
  return (PyObject*)hook;
}

static int add_hook(PyObject* module, const char* name, vectorcallfunc call) {
  PyObject* hook = make_hook(call, 0);
  return hook == NULL ? -1 : PyModule_AddObject(module, name, hook);
}

static PyObject* on_tick(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  Hook* hook = (Hook*)self;
  if (tracer_counts() && hook->watch == state.watch && hook->number < state.n_functions) {
    tracer_tick(hook->number);
  }
  Py_RETURN_NONE;
}

// A function that counts one start of watched function number i: what is put into its code on Python 3.11.
PyObject* tracer_make_tick(PyObject* module, PyObject* number) {
  unsigned long value = PyLong_AsUnsignedLong(number);
  if (value == (unsigned long)-1 && PyErr_Occurred()) return NULL;
  return make_hook(on_tick, (uint32_t)value);
}

int tracer_add_hooks(PyObject* module) {
  if (PyType_Ready(&HookType) != 0) return -1;
  if (add_hook(module, "on_start", on_start) != 0 || add_hook(module, "on_resume", on_resume) != 0) return -1;
  if (add_hook(module, "on_unwind", on_unwind) != 0) return -1;
  return add_hook(module, "on_end", on_end) != 0 || add_hook(module, "on_line", on_line) != 0 ? -1 : 0;
}
