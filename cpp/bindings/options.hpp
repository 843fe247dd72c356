// Records of options as Python classes: each field is named once, its default is that of the struct.
#pragma once

#include <cmath>
#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "bindings/module.hpp"

namespace stakes::bindings {

// A class that is made with keywords and does not change; `replace` gives a copy with changes.
template <class T>
class OptionsClass {
 public:
  OptionsClass(nb::module_& m, const char* name, const char* doc) : class_(m, name, doc), name_(name) {}

  template <class Member>
  OptionsClass& field(const char* name, Member T::*member) {
    return add<Member>(
        name, [member](const T& self) { return self.*member; },
        [member](T& self, const Member& value) { self.*member = value; });
  }

  // A field that Python knows by words: `word` and `meaning` turn values into them and back.
  template <class Word, class Meaning>
  OptionsClass& words(const char* name, Word word, Meaning meaning) {
    return add<std::string>(name, word, meaning);
  }

  void finish() {
    const auto change = [setters = setters_, name = name_](T& self, const nb::kwargs& changes) {
      for (const auto& [key, value] : changes) {
        const auto setter = setters.find(nb::cast<std::string>(key));
        if (setter == setters.end()) {
          throw nb::type_error((name + " has no option '" + nb::cast<std::string>(key) + "'").c_str());
        }
        setter->second(self, value);
      }
    };
    const auto text = [fields = fields_, name = name_](nb::handle self) {
      std::string result;
      for (const std::string& field : fields) {
        result += (result.empty() ? name + "(" : ", ") + field + "=";
        result += nb::cast<std::string>(nb::repr(self.attr(field.c_str())));
      }
      return result + ")";
    };
    class_.def(
        "__init__",
        [change](T* self, const nb::kwargs& changes) {
          T made;
          change(made, changes);
          new (self) T(std::move(made));
        },
        nb::sig(("def __init__(self" + signature_ + ") -> None").c_str()));
    class_.def(
        "replace",
        [change](const T& self, const nb::kwargs& changes) {
          T copy = self;
          change(copy, changes);
          return copy;
        },
        nb::sig(("def replace(self, **changes: typing.Any) -> " + name_).c_str()),
        "The same options but for these.");
    class_.def("__repr__", text);
    class_.def(
        "__eq__",
        [text](nb::handle self, nb::handle other) {
          return nb::isinstance<T>(other) && text(self) == text(other);
        },
        nb::sig("def __eq__(self, other: object, /) -> bool"));
  }

 private:
  template <class Value, class Get, class Set>
  OptionsClass& add(const char* name, Get get, Set set) {
    class_.def_prop_ro(name, get);
    const Value initial = get(T());
    std::string type = nb::detail::make_caster<Value>::Name.text;
    // nanobind writes @what is taken@what is given@.
    for (auto at = type.find('@'); at != type.npos; at = type.find('@')) {
      const auto middle = type.find('@', at + 1), end = type.find('@', middle + 1);
      type = type.substr(0, at) + type.substr(at + 1, middle - at - 1) + type.substr(end + 1);
    }
    std::string written = nb::cast<std::string>(nb::repr(nb::cast(initial)));
    if constexpr (std::floating_point<Value>) {
      if (!std::isfinite(initial)) written = "...";
    }
    signature_ += (fields_.empty() ? ", *, " : ", ") + std::string(name) + ": " + type + " = " + written;
    setters_[name] = [set, message = std::string(name) + " must be of the type " + type](T& self,
                                                                                         nb::handle value) {
      Value meant;
      if (!nb::try_cast(value, meant)) throw nb::type_error(message.c_str());
      set(self, meant);
    };
    fields_.emplace_back(name);
    return *this;
  }

  nb::class_<T> class_;
  std::string name_, signature_;
  std::vector<std::string> fields_;
  std::map<std::string, std::function<void(T&, nb::handle)>> setters_;
};

// One of the words of a table; `what` says what they are where it is none of them.
template <class Meaning, std::size_t n>
Meaning meaning_of(const std::pair<const char*, Meaning> (&words)[n], const std::string& word,
                   const char* what) {
  for (const auto& [known, meaning] : words) {
    if (word == known) return meaning;
  }
  throw std::invalid_argument(std::string(what) + "'" + word + "'");
}

template <class Meaning, std::size_t n>
std::string word_of(const std::pair<const char*, Meaning> (&words)[n], Meaning meaning) {
  for (const auto& [word, known] : words) {
    if (meaning == known) return word;
  }
  return "";
}

}  // namespace stakes::bindings
