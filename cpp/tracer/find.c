// Python 3.12 and later: finds the code of watched functions as it comes into being, so that nothing else
// needs to be monitored.
//
// An event that is set for all code makes the interpreter rewrite every function that it runs, and do without
// its faster pairs of instructions there: 1.2 % of a run of pip. Code becomes a function in few ways, and
// each of them is audited.
#include "events.h"

#if PY_VERSION_HEX >= 0x030C0000

static PyObject* files;       // paths of the files with watched functions
static PyObject* on_threads;  // called when a thread is about to be started

static bool in_watched_file(PyCodeObject* code) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(files); ++i) {
    if (tracer_is_file(code->co_filename, PyTuple_GET_ITEM(files, i))) return true;
  }
  return false;
}

// Meets the watched functions among this code and all code inside it.
static void search(PyObject* code) {
  tracer_meet(code);
  PyObject* constants = ((PyCodeObject*)code)->co_consts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
    PyObject* constant = PyTuple_GET_ITEM(constants, i);
    if (PyCode_Check(constant)) search(constant);
  }
}

static void on_audit(const char* event, PyObject* args) {
  static const char kThread[] = "_thread.start_";
  bool thread = strncmp(event, kThread, sizeof kThread - 1) == 0;
  bool whole = strcmp(event, "exec") == 0 || strcmp(event, "function.__new__") == 0;
  bool assigned = strcmp(event, "object.__setattr__") == 0;  // of a function: its __code__
  if ((!thread && !whole && !assigned) || !tracer_counts() || !tracer_is_here()) return;
  if (thread) {
    tracer_call(on_threads, NULL, NULL);
  } else if (PyTuple_GET_SIZE(args) > 0) {
    PyObject* code = PyTuple_GET_ITEM(args, PyTuple_GET_SIZE(args) - 1);
    if (PyCode_Check(code) && in_watched_file((PyCodeObject*)code)) search(code);
  }
}

typedef struct {
  PyObject *codes, *last_file;
  bool last_watched;
} Scan;

static int on_object(PyObject* object, void* data) {
  Scan* scan = data;
  if (!PyFunction_Check(object)) return 1;
  PyCodeObject* code = (PyCodeObject*)PyFunction_GET_CODE(object);
  if (code->co_filename != scan->last_file) {  // functions of a module mostly come in a row
    scan->last_file = code->co_filename;
    scan->last_watched = in_watched_file(code);
  }
  if (scan->last_watched && PyList_Append(scan->codes, (PyObject*)code) != 0) PyErr_Clear();
  return 1;
}

// Finds the functions of some files, those that there are and from now on those that come.
PyObject* tracer_find(PyObject* module, PyObject* args) {
  PyObject *paths, *callback;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &paths, &callback)) return NULL;
  Py_XSETREF(files, Py_NewRef(paths));
  Py_XSETREF(on_threads, Py_NewRef(callback));
  tracer_state.by_frame = true;
  Scan scan = {.codes = PyList_New(0)};
  if (scan.codes == NULL) return NULL;
  PyUnstable_GC_VisitObjects(on_object, &scan);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(scan.codes); ++i) search(PyList_GET_ITEM(scan.codes, i));
  Py_DECREF(scan.codes);
  if (!tracer_listen(on_audit)) return NULL;
  Py_RETURN_NONE;
}
#endif
