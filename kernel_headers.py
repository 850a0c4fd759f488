"""Writes what headers of kernels include: their modules' declarations in C, of annotations.

`include "NAME.pxi"` in `NAME.pxd` is for C what the imports, numbers, classes and functions of
NAME.py are for Python, as far as annotations and values say of which types they are. What differs
is declared in the header, or noted there; docs/kernels.md describes both.
"""

import ast
import functools
import re
from pathlib import Path

PYTHON = {'object', 'list', 'tuple', 'dict'}  # types of which C has references
NAMES = {'float': 'double', 'int': 'int', 'Long': 'long long', 'bool': 'bint', 'len': 'int',
         '.zeros': 'vector', '.integer_zeros': 'integers', **{kind: kind for kind in PYTHON}}


def write_declarations(package):
    """Write `NAME.pxi` for each header `NAME.pxd` of a package that includes it."""
    for header in Path(package).rglob('*.pxd'):
        made, own = header.with_suffix('.pxi'), text_of(header)
        if f'include "{made.name}"' in own:
            text = declarations(own, text_of(header.with_suffix('.py')))
            if not made.exists() or text_of(made) != text:
                made.write_text(text, encoding='utf-8')


def text_of(path):
    """Return a file as text."""
    return path.read_text(encoding='utf-8')


@functools.cache
def declarations(header, source):
    """Return what a header includes of its module."""
    return Module(header, source).text()


@functools.cache
def arrays():
    """Return the types of C of the arrays of kernels, and of those that callers give, by name."""
    folder = Path('ik_node', 'support')
    own = re.findall(r'^ctypedef \w+\W+(\w+)', text_of(folder / 'arrays.pxd'), re.M)
    return ({one.capitalize(): one for one in own},
            dict(re.findall(r'^(\w+) = np.ndarray +# (.+)', text_of(folder / 'arrays.py'), re.M)))


@functools.cache
def types_of_names():
    """Return the types of C of names, and of what calls of them return; '.vector': of methods."""
    own, given = arrays()
    tuples = {name: name.lower() for source in Path('ik_node').rglob('*.py')
              for name in re.findall(r'^([A-Z]\w+) = tuple\[', text_of(source), re.M)}
    return {**NAMES, **{f'.{kind}': kind for kind in own.values()}, **own, **given, **tuples}


class Module:
    """A kernel: what it sets and imports, and the types of C of names."""

    def __init__(self, header, source):
        self.header, self.tree = header, ast.parse(source)
        self.is_inlined = header.startswith('# Not compiled')
        self.notes = {name: words for words, listed in re.findall(
            r'^# ([^:\n]+): (.+)', header, re.M) for name in re.findall(r'[\w.]+', listed)}
        self.imports = {'cimport cython', *filter(None, self.cimports())}
        self.types = {**types_of_names(), **{line.split()[-1]: line.split()[-1]
                                             for line in self.imports}}
        for node in self.tree.body:
            self.types.update((name, kind) for name, kind, _ in numbers_of(node))
        self.classes = {}  # of C, and how their declarations begin
        for node in self.tree.body:
            bases = [getattr(base, 'id', '') for base in getattr(node, 'bases', '')]
            if (isinstance(node, ast.ClassDef) and self.notes.get(node.name) != 'Python'
                    and all(self.types.get(base) == base for base in bases)):
                self.types[node.name] = node.name
                self.classes[node.name] = f'cdef class {node.name}({", ".join(bases)})'

    def text(self):
        """Return the declarations."""
        by_hand = {*re.findall(r'class (\w+)', self.header), *re.findall(
            r'(\w+)\(', re.sub('#.*', '', self.header))}
        used = {one.id for node in self.tree.body for one in ast.walk(node)
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and isinstance(one, ast.Name)}
        lines, later = [], []
        for node in self.tree.body:
            if getattr(node, 'name', '') in by_hand:
                continue
            if getattr(node, 'name', '') in self.classes:
                later += [f'{self.classes[node.name]}:', *self.of_class(node)]
            elif isinstance(node, ast.FunctionDef):
                later += self.of_function(node)
            elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith('tuple['):
                lines.append(f'ctypedef {self.c_type(node.value)} {node.targets[0].id.lower()}')
            elif self.is_inlined:
                named = ', '.join(name + value for name, _, value in numbers_of(node))
                lines += [f'cdef enum: {named}'] if named else []
            else:
                lines += [f'cdef {self.notes.get(name, kind)} {name}'
                          for name, kind, _ in numbers_of(node)
                          if name in used | self.notes.keys() and self.notes.get(name) != 'Python']
        for name, line in self.classes.items():  # that are named before they are declared
            if re.search(rf'\b{name}\b', ' '.join([*later, self.header]).partition(f'{line}:')[0]):
                lines.append(line)
        whole = ' '.join([self.header, *lines, *later])
        if 'ctypedef' not in self.header:
            self.imports |= {f'from ik_node.support.arrays cimport {kind}'
                             for kind in arrays()[0].values()
                             if re.search(rf"\b{kind}(?: \w|[',)])", whole)}
        return '\n'.join([*sorted(self.imports), *lines, *later, ''])

    def cimports(self):
        """Yield how C gets what the module imports."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import) and node.names[0].name == 'math':
                yield 'from libc cimport math'
            elif isinstance(node, ast.ImportFrom):
                names = node.names
                if names[0].name == '*':  # of functions those that are used
                    used = {one.id for one in ast.walk(self.tree) if isinstance(one, ast.Name)}
                    source = text_of(Path(*node.module.split('.')).with_suffix('.py'))
                    names = [ast.alias(one.name) for one in ast.parse(source).body
                             if isinstance(one, ast.FunctionDef) and one.name in used]
                yield from (cimport(node.module, one) for one in names)
            elif isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'round':
                yield 'from libc.math cimport rint as round'

    def of_class(self, node):
        """Return what the declaration of a class has: what its bases do not have."""
        has = set_by({base.id for base in node.bases}, self.tree)
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
        found = {f'self.{one.target.id}': self.c_type(one.annotation)
                 for one in node.body if isinstance(one, ast.AnnAssign)}
        for method in methods:
            known = {one.arg: self.c_type(one.annotation) for one in method.args.args}
            for target, value, annotation in assigned(method):
                kind = self.c_type(annotation) if annotation else type_of(
                    value, {**self.types, **known, **found})
                place = found if re.fullmatch(r'self\.\w+', target) else known
                place[target] = place.get(target) or kind
        lines = []
        for name, kind in ((target.removeprefix('self.'), kind) for target, kind in found.items()):
            if name not in has:
                kind = self.notes.get(f'{node.name}.{name}', kind or 'object')
                seen = '' if 'public' in kind or is_of_c(kind) else 'readonly '
                lines.append(f'cdef {seen}{kind} {name}')
        for method in methods:
            own = self.of_function(method, node.name)
            lines += own if len(own) > 1 or method.name not in has else []
        return [f'    {line}' for line in lines or ['pass']]

    def of_function(self, function, owner=''):
        """Return the lines that declare a function, or a method; none where it is Python's."""
        arguments = function.args.args[bool(owner):]
        given, result = [self.c_type(one.annotation) for one in arguments], self.c_type(
            function.returns)
        words = self.notes.get(f'{owner}.{function.name}'.lstrip('.'))
        if function.name.startswith('__') or function.decorator_list or words == 'Python':
            return []
        if not words and ({*given} & PYTHON or (result in PYTHON and not (owner and given))):
            return []
        if not words and owner and (any('[' in kind for kind in given) or result in PYTHON
                                    or result[0].isupper()):  # with the GIL
            inner = result[0].isupper() or {*given} & {*arrays()[0].values()}
            words = 'cdef' if inner else 'cpdef'
        way, words = re.match('(cp?def)? ?(.*)', words or 'noexcept nogil').groups()
        if result == 'void' and 'noexcept' not in words:
            result = 'int' if 'except' in words else ''
        listed = [f'{kind} {one.arg}' for kind, one in zip(given, arguments)]
        for k in range(len(function.args.defaults)):
            listed[-1 - k] += '=*'
        listed = ', '.join(['self'] * bool(owner) + listed)
        line = ' '.join(f'{way or "cdef"} {result} {function.name}({listed}) {words}'.split())
        if self.is_inlined:
            return [f'cdef inline {line.removeprefix("cdef ")}:',
                    *(f'    {text}' for one in function.body[1:]
                      for text in ast.unparse(one).splitlines())]
        kinds = {name: self.c_type(annotation) if annotation else type_of(value, {})
                 for name, value, annotation in assigned(function)
                 if name.isidentifier() and (annotation or type_of(value, {}) == 'bint')}
        own = ', '.join(f'{name}={kind!r}' for name, kind in kinds.items() if kind != 'object')
        return [f'@cython.locals({own})', line] if own else [line]

    def c_type(self, annotation):
        """Return the type of C of an annotation."""
        if isinstance(annotation, ast.BinOp):  # … | None
            kind = self.c_type(annotation.left)
            return kind if kind[0].isupper() else 'object'
        if isinstance(annotation, ast.Subscript):  # tuple[…], list[…]
            kinds = [self.c_type(one) for one in getattr(annotation.slice, 'elts', ())]
            kind = self.types.get(ast.unparse(annotation.value), 'object')
            return f'({", ".join(kinds)})' if kind == 'tuple' and not {*kinds} & PYTHON else kind
        name = getattr(annotation, 'value', getattr(annotation, 'id', ''))
        return 'void' if name is None else self.types.get(name, 'object')


def is_of_c(kind):
    """Tell whether Python cannot see a value of a type: an array."""
    return kind in arrays()[0].values() or '[' in kind


def cimport(module, one):
    """Return how C gets what a module imports from another; '' for what it does not get."""
    if Path(*module.split('.'), f'{one.name}.pxd').exists():
        return f'cimport {module}.{one.name} as {one.asname or one.name}'
    header = Path(*module.split('.')).with_suffix('.pxd')
    name = types_of_names().get(one.name, one.name)
    if not header.exists() or not name.isidentifier() or name in NAMES.values():
        return ''
    known = text_of(header)
    if f'{header.stem}.pxi' in known:
        known += declarations(known, text_of(header.with_suffix('.py')))
    is_known = re.search(rf'\b{name}\b', re.sub('#.*', '', known))
    return f'from {module} cimport {name}' * bool(is_known)


def set_by(names, tree):
    """Return the attributes and methods of classes of a module, and of those they inherit from."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in names:
            found |= {target[5:] for target, *_ in assigned(node) if target.startswith('self.')}
            found |= {one.target.id if isinstance(one, ast.AnnAssign) else one.name
                      for one in node.body if isinstance(one, (ast.AnnAssign, ast.FunctionDef))}
            found |= set_by({base.id for base in node.bases}, tree)
        elif isinstance(node, ast.ImportFrom) and names & {one.name for one in node.names}:
            source = Path(*node.module.split('.')).with_suffix('.py')
            found |= set_by(names, ast.parse(text_of(source)))
    return found


def type_of(value, known):
    """Return the type of C of a value, '' where it is not clear; known: the types of names."""
    text = ast.unparse(value) if value else ''
    if isinstance(value, ast.Constant):
        return {bool: 'bint', int: 'int', float: 'double'}.get(type(value.value), '')
    if isinstance(value, (ast.Compare, ast.BoolOp)) or text.startswith('not '):
        return 'bint'
    if isinstance(value, (ast.List, ast.ListComp)):
        return 'list'
    if text.startswith('math.'):
        return 'double'
    if isinstance(value, ast.Call) and text[:4] not in ('min(', 'max('):
        name = getattr(value.func, 'attr', '')
        return known.get(f'.{name}' if name else ast.unparse(value.func), '')
    if isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp, ast.IfExp)):
        kinds = [type_of(one, known) for one in ast.iter_child_nodes(value)
                 if not isinstance(one, ast.Compare)]
        return 'double' if 'double' in kinds else next(filter(None, kinds), '')
    return known.get(text, '')


def numbers_of(node):
    """Yield name, type of C and value of the numbers that a statement of a module sets."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):  # of range
        yield from ((one.id, 'int', '') for one in getattr(node.targets[0], 'elts', ()))
    for name, value, annotation in assigned(node) if hasattr(node, 'value') else ():
        kind = type_of(value, {'float': 'double'})
        if annotation:
            kind = types_of_names().get(ast.unparse(annotation), '')
        elif isinstance(value, (ast.Attribute, ast.BinOp)) and not re.match(
                r'np\.|.* \| ', ast.unparse(value)):  # types
            kind = kind or 'double'
        if kind not in {'', *PYTHON}:
            yield name, kind.replace('bint', 'int'), f' = {ast.unparse(value)}'


def assigned(node):
    """Yield target, value and annotation of the assignments within a statement, one by one."""
    for one in ast.walk(node):
        if isinstance(one, ast.AnnAssign):
            yield ast.unparse(one.target), one.value, one.annotation
        for target in getattr(one, 'targets', ()) if isinstance(one, ast.Assign) else ():
            own, values = getattr(target, 'elts', [target]), [one.value]
            if isinstance(target, ast.Tuple):
                values = getattr(one.value, 'elts', [None] * len(own))
            yield from ((ast.unparse(name), value, None) for name, value in zip(own, values))
