// The audit hook: what the interpreter reports on its own, at no cost to the functions of a program.
#include "events.h"

static PyInterpreterState* interpreter;
static TracerHeard* heard;

// The name as a traceback has it: without a module where that is builtins or the program itself.
static PyObject* name_of(PyTypeObject* type) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return PyUnicode_FromString(type->tp_name);
  PyObject* name = PyType_GetQualName(type);
  PyObject* module = PyDict_GetItemString(type->tp_dict, "__module__");
  if (name == NULL || module == NULL || !PyUnicode_Check(module) ||
      PyUnicode_CompareWithASCIIString(module, "builtins") == 0 ||
      PyUnicode_CompareWithASCIIString(module, "__main__") == 0) {
    return name;
  }
  PyObject* whole = PyUnicode_FromFormat("%U.%U", module, name);
  Py_DECREF(name);
  return whole;
}

// Notes an exception that nobody has caught. The last one counts: some programs report errors this way and go
// on.
static void note_exception(PyObject* type) {
  if (!PyType_Check(type)) return;
  PyObject *before, *value, *traceback;
  PyErr_Fetch(&before, &value, &traceback);
  PyObject* name = name_of((PyTypeObject*)type);
  Py_ssize_t length = 0;
  const char* text = name == NULL ? NULL : PyUnicode_AsUTF8AndSize(name, &length);
  if (text != NULL) tracer_exception(text, (size_t)length);
  Py_XDECREF(name);
  PyErr_Clear();
  PyErr_Restore(before, value, traceback);
}

static int on_audit(const char* event, PyObject* args, void* data) {
  if (!tracer_state.running) return 0;
  if (heard != NULL) heard(event, args);
  if (strcmp(event, "sys.excepthook") != 0 || PyTuple_GET_SIZE(args) != 4 || !tracer_is_here()) return 0;
  note_exception(PyTuple_GET_ITEM(args, 1));  // hook, type, value, traceback
  return 0;
}

bool tracer_is_here(void) {
  return PyInterpreterState_Get() == interpreter;
}

bool tracer_listen(TracerHeard* also) {
  bool first = interpreter == NULL;
  interpreter = PyInterpreterState_Get();
  if (also != NULL) heard = also;
  return !first || PySys_AddAuditHook(on_audit, NULL) == 0;
}
