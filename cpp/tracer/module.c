// The extension module "_tracer": how counting begins, moves to other memory and ends.
#include "events.h"

#define state tracer_state

// ---- scopes ----

static void scope_dealloc(PyObject* self) {
  PyMem_RawFree(((TracerScope*)self)->counts);
  Py_TYPE(self)->tp_free(self);
  state.scopes_open--;
}

static PyObject* scope_new(PyTypeObject* type, PyObject* args, PyObject* named) {
  enum { kTreesMost = 1 << 13 };
  TracerScope* self = (TracerScope*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  state.scopes_open++;
  self->functions = state.n_functions;
  self->trees = state.trees ? kTreesMost : 0;
  self->lines = state.n_lines;
  self->counts = PyMem_RawCalloc((size_t)self->functions + self->trees + self->lines + 1, sizeof(uint64_t));
  if (self->counts == NULL) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject*)self;
}

static PyObject* scope_counts(PyObject* self, PyObject* unused) {
  TracerScope* scope = (TracerScope*)self;
  const uint64_t* next = scope->counts;
  PyObject* parts = PyTuple_New(3);
  if (parts == NULL) return NULL;
  const uint32_t lengths[3] = {scope->functions, scope->trees, scope->lines};
  for (int part = 0; part < 3; ++part) {
    PyObject* counts = PyList_New(lengths[part]);
    if (counts == NULL) {
      Py_DECREF(parts);
      return NULL;
    }
    PyTuple_SET_ITEM(parts, part, counts);
    for (uint32_t i = 0; i < lengths[part]; ++i) {
      PyObject* count = PyLong_FromUnsignedLongLong(*next++);
      if (count == NULL) {
        Py_DECREF(parts);
        return NULL;
      }
      PyList_SET_ITEM(counts, i, count);
    }
  }
  return parts;
}

static PyMethodDef scope_methods[] = {{"counts", scope_counts, METH_NOARGS,
                                       "Starts of each function, calls of each tree, arrivals at each line."},
                                      {NULL, NULL, 0, NULL}};

PyTypeObject TracerScopeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_tracer.Scope",
    .tp_basicsize = sizeof(TracerScope),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = scope_dealloc,
    .tp_new = scope_new,
    .tp_methods = scope_methods,
};

// ---- start, rebase, stop ----

static bool open_memory(PyObject* memory, bool guarded) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(memory, &buffer, PyBUF_WRITABLE) != 0) return false;
  state.running = state.plain = false;
  if (!tracer_tables_open(buffer.buf, (size_t)buffer.len)) {
    PyBuffer_Release(&buffer);
    PyErr_SetString(PyExc_ValueError, "these are no tables for counters, or memory is short");
    return false;
  }
  if (guarded) tracer_guard(buffer.buf, (size_t)buffer.len);
  if (state.memory.obj != NULL) PyBuffer_Release(&state.memory);
  state.memory = buffer;
  state.shared = guarded;
  return true;
}

// Enters the watched functions and lines into the tables, in their order.
static bool enter_watched(PyObject* functions, PyObject* lines) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); ++i) {
    const char *path, *name;
    Py_ssize_t path_length, name_length;
    int line;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(functions, i), "s#s#i", &path, &path_length, &name, &name_length,
                          &line)) {
      return false;
    }
    tracer_function(path, (size_t)path_length, name, (size_t)name_length, line);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(lines); ++i) {
    unsigned int function, line;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(lines, i), "II", &function, &line)) return false;
    tracer_line(function, line, true);
  }
  state.n_functions = (uint32_t)PyTuple_GET_SIZE(functions);
  state.n_lines = (uint32_t)PyTuple_GET_SIZE(lines);
  return true;
}

static void keep(PyObject** place, PyObject* object) {
  PyObject* before = *place;
  *place = object == Py_None ? NULL : Py_XNewRef(object);
  Py_XDECREF(before);
}

// In the child of a fork: the mapped file is that of the parent, who goes on writing into it. Nothing is
// counted until there are tables of its own, and no event is switched off meanwhile.
static void after_fork(void) {
  if (!state.shared) return;
  state.running = state.plain = false;
  state.disable = NULL;
}

static bool follow_forks(void) {
  static bool followed;
  followed = followed || pthread_atfork(NULL, NULL, after_fork) == 0;
  if (!followed) PyErr_NoMemory();
  return followed;
}

static PyObject* start(PyObject* module, PyObject* args, PyObject* named) {
  static char* names[] = {"memory",  "trees",       "lines",   "guarded",        "watch",  "watch_lines",
                          "by_name", "on_selected", "disable", "scope_variable", "budget", NULL};
  PyObject *memory, *watch = NULL, *watch_lines = NULL, *by_name = NULL, *on_selected = NULL, *disable = NULL;
  PyObject* variable = NULL;
  int trees, lines, guarded;
  unsigned long long budget = 0;
  if (!PyArg_ParseTupleAndKeywords(args, named, "Oppp|O!O!O!OOOK", names, &memory, &trees, &lines, &guarded,
                                   &PyTuple_Type, &watch, &PyTuple_Type, &watch_lines, &PyDict_Type, &by_name,
                                   &on_selected, &disable, &variable, &budget)) {
    return NULL;
  }
  if (state.extra < 0) state.extra = PyUnstable_Eval_RequestCodeExtraIndex(NULL);
  if (state.extra < 0) {
    PyErr_SetString(PyExc_RuntimeError, "code objects have no room left for a note");
    return NULL;
  }
  if (guarded && !follow_forks()) return NULL;
  if (!open_memory(memory, guarded != 0)) return NULL;
  if (watch != NULL && watch_lines != NULL && !enter_watched(watch, watch_lines)) return NULL;
  state.trees = trees;
  state.lines = lines;
  state.budget = budget;
  state.events = 0;
  state.over_budget = state.failed = state.by_frame = false;
  state.main_thread = PyThread_get_thread_ident();
  clock_gettime(CLOCK_MONOTONIC, &state.since);
  keep(&state.watch, by_name);
  keep(&state.on_selected, on_selected);
  keep(&state.disable, disable);
  keep(&state.scope_variable, variable);
  if (guarded && !tracer_listen(NULL)) return NULL;
  state.running = true;
  state.plain = state.watch == NULL && !state.trees;
  Py_RETURN_NONE;
}

static PyObject* stop(PyObject* module, PyObject* unused) {
  state.running = state.plain = false;
  if (state.memory.obj != NULL) {
    tracer_unguard();
    PyBuffer_Release(&state.memory);
  }
  Py_RETURN_NONE;
}

// The mmap module would keep the file open: a program would then see its own files under other numbers.
static PyObject* map_file(PyObject* module, PyObject* args) {
  int descriptor;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "in", &descriptor, &size)) return NULL;
  void* memory = tracer_map(descriptor, (size_t)size);
  if (memory == NULL) return PyErr_SetFromErrno(PyExc_OSError);
  return PyMemoryView_FromMemory(memory, size, PyBUF_WRITE);
}

static PyObject* failed(PyObject* module, PyObject* unused) {
  return PyBool_FromLong(state.failed);
}

static PyMethodDef methods[] = {
    {"start", (PyCFunction)(void (*)(void))start, METH_VARARGS | METH_KEYWORDS,
     "Begin to count into the memory."},
    {"map_file", map_file, METH_VARARGS, "Map an open file and return its memory."},
    {"failed", failed, METH_NOARGS, "Whether the program has raised SystemExit with a status other than 0."},
    {"stop", stop, METH_NOARGS, "Count no more and let go of the memory."},
#if PY_VERSION_HEX >= 0x030C0000
    {"find", tracer_find, METH_VARARGS,
     "Find the watched functions of some files, those there are and those to come."},
#else
    {"make_tick", tracer_make_tick, METH_O, "Return what counts one start of a watched function."},
    {"profile_thread", tracer_profile_thread, METH_VARARGS, "Profile the present thread."},
    {"found_at", tracer_note_path, METH_VARARGS, "Note where a watched function really is."},
    {"on_exec", tracer_on_exec, METH_O, "Call back with code that is about to be executed."},
    {"replace_constant", tracer_replace_constant, METH_VARARGS, "Replace one constant of a code object."},
#endif
    {NULL, NULL, 0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_tracer",
                                 .m_doc = "Counts functions, call trees and lines.", .m_size = -1,
                                 .m_methods = methods};

PyMODINIT_FUNC PyInit__tracer(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module == NULL) return NULL;
  if (tracer_add_hooks(module) != 0 || PyType_Ready(&TracerScopeType) != 0 ||
      PyModule_AddObjectRef(module, "Scope", (PyObject*)&TracerScopeType) != 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
