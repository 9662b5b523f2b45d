"""Fields in the reference: the comment behind a field of a public class is its description there."""

import re

from griffe import Attribute, Class, Docstring, Extension


class Fields(Extension):
    def on_class_members(self, *, cls: Class, **_: object) -> None:
        for field in cls.members.values():
            if isinstance(field, Attribute) and field.docstring is None and not field.name.startswith("_"):
                said = re.search(r"  # (?!type:)(.*)$", field.source)
                if said:
                    field.docstring = Docstring(said[1][:1].upper() + said[1][1:].rstrip(".") + ".", parent=field)
