// Python 3.11, which has no sys.monitoring: a profile function for recording, and the means to put ticks into
// the code of watched functions.
#include "events.h"

#if PY_VERSION_HEX < 0x030C0000
#include <opcode.h>

enum { kGenerators = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR };

// A profile function sees starts and resumptions alike. A generator starts where it stands at RESUME 0.
static bool starts(PyFrameObject* frame, PyCodeObject* code) {
  if (!(code->co_flags & kGenerators)) return true;
  int last = PyFrame_GetLasti(frame);
  if (last < 0) return false;
  _Py_CODEUNIT unit = _PyCode_CODE(code)[last / (int)sizeof(_Py_CODEUNIT)];
  int opcode = _Py_OPCODE(unit);
  return (opcode == RESUME || opcode == RESUME_QUICK) && _Py_OPARG(unit) == 0;
}

static int on_profile(PyObject* self, PyFrameObject* frame, int what, PyObject* argument) {
  if (what != PyTrace_CALL && (what != PyTrace_RETURN || !tracer_state.trees)) return 0;
  if (!tracer_counts()) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  if (what == PyTrace_CALL) {
    bool fresh = starts(frame, code);
    if (fresh || tracer_state.trees) tracer_begin((PyObject*)code, fresh);
  } else {
    tracer_end((PyObject*)code);
  }
  Py_DECREF(code);
  return 0;
}

static int on_trace(PyObject* self, PyFrameObject* frame, int what, PyObject* argument) {
  if (what != PyTrace_LINE || !tracer_counts()) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  tracer_reach((PyObject*)code, PyFrame_GetLineNumber(frame));
  Py_DECREF(code);
  return 0;
}

// Called by a new thread through threading.setprofile, with the event that it is called for.
PyObject* tracer_profile_thread(PyObject* module, PyObject* args) {
  if (tracer_state.running) {
    PyEval_SetProfile(on_profile, NULL);
    if (tracer_state.lines) PyEval_SetTrace(on_trace, NULL);
  }
  if (PyTuple_GET_SIZE(args) == 3 && PyFrame_Check(PyTuple_GET_ITEM(args, 0))) {
    PyObject* event = PyTuple_GET_ITEM(args, 1);
    if (PyUnicode_CompareWithASCIIString(event, "call") == 0) {
      on_profile(NULL, (PyFrameObject*)PyTuple_GET_ITEM(args, 0), PyTrace_CALL, NULL);
    }
  }
  Py_RETURN_NONE;
}

static PyObject* exec_callback;

static void on_audit(const char* event, PyObject* args) {
  if (strcmp(event, "exec") != 0 || PyTuple_GET_SIZE(args) != 1 || !tracer_is_here()) return;
  tracer_call(exec_callback, PyTuple_GET_ITEM(args, 0), NULL);
}

// Calls back with every code object that is about to be executed as a module, a script or by exec().
PyObject* tracer_on_exec(PyObject* module, PyObject* callback) {
  PyObject* before = exec_callback;
  exec_callback = Py_NewRef(callback);
  Py_XDECREF(before);
  if (!tracer_listen(on_audit)) return NULL;
  Py_RETURN_NONE;
}

// Puts another object in place of constant number i of a code object that has not begun to run.
PyObject* tracer_replace_constant(PyObject* module, PyObject* args) {
  PyCodeObject* code;
  Py_ssize_t place;
  PyObject* constant;
  if (!PyArg_ParseTuple(args, "O!nO", &PyCode_Type, &code, &place, &constant)) return NULL;
  if (place < 0 || place >= PyTuple_GET_SIZE(code->co_consts)) {
    PyErr_SetString(PyExc_IndexError, "there is no such constant");
    return NULL;
  }
  PyObject* before = PyTuple_GET_ITEM(code->co_consts, place);
  PyTuple_SET_ITEM(code->co_consts, place, Py_NewRef(constant));
  Py_DECREF(before);
  Py_RETURN_NONE;
}

// Notes where a watched function really is.
PyObject* tracer_note_path(PyObject* module, PyObject* args) {
  unsigned int function;
  const char* path;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(args, "Is#", &function, &path, &length)) return NULL;
  tracer_found_at(function, path, (size_t)length);
  Py_RETURN_NONE;
}
#endif
