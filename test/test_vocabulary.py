import ast
import re
import tokenize
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / 'ik_node'
WORDS = frozenset({
    'arc', 'arcs', 'asked', 'climb', 'desk', 'finishing', 'flat', 'form', 'given', 'ideal', 'known',
    'polish', 'posture', 'postures', 'regret', 'seeker', 'sharpening', 'station', 'stations',
    'survey', 'told', 'way', 'ways'})
"""Parts of identifiers that are not used, in any case."""
NAMES = frozenset({'TURN', 'SLIDE', 'two_turns', 'with_slides', 'swivel_choice'})
"""Whole identifiers that are not used."""
TERMS = ('arcs?', 'desks?', 'postures?', 'regrets?', 'seekers?', 'stations?', 'surveys?', 'told',
         'ways?')
"""Words that texts for users do not use; others of WORDS are ordinary words there."""

ALLOWED_NAMES = {
    'add_form': 'a function of viser',
    'closed_form': 'the term for analytic solutions',
    'flat_shading': 'an argument of viser',
    'Posture': 'the task',
}
ALLOWED_FILES = dict.fromkeys((
    'tasks/posture.py', 'tasks/__init__.py', 'solvers/body/proofs.py', 'mocap/retargeting.py'),
    'the task, or its import')
ALLOWED_TEXTS = ('great arc', 'the shorter way round', 'Posture')
NUMPYS = ('flat',)
"""Attributes of numpy arrays."""
NOT_IN_TESTS = re.compile(
    r'_(told|tells?|answer\w*|trouble\w*|taken_up|newest|nobody\w*|somebody\w*|all_but|regret\w*|'
    r'stand_in|stands_in_for|all_the_same)(_|$)')


def sources():
    yield from sorted(PACKAGE.rglob('*.py'))


def parts_of(name):
    """Return the words of an identifier in lower case: of snake case and of camel case."""
    return [part.lower() for part in re.findall('[A-Z]+(?![a-z])|[A-Z]?[a-z]+', name)]


def relative(path):
    return path.relative_to(PACKAGE).as_posix()


def snake_case(name):
    return '_'.join(parts_of(name))


def wrong_names(path):
    with open(path, encoding='utf-8') as file:
        tokens = [token for token in tokenize.generate_tokens(file.readline)
                  if token.type in (tokenize.NAME, tokenize.OP)]
    for before, token in zip([None, *tokens], tokens):
        name = token.string
        if (token.type != tokenize.NAME or name in ALLOWED_NAMES
                or 'closed_form' in snake_case(name)):
            continue
        previous = '' if before is None else before.string
        if name in NUMPYS and previous == '.':
            continue
        if name == 'posture' and relative(path) in ALLOWED_FILES:
            continue
        if name in NAMES or WORDS.intersection(parts_of(name)):
            yield f'{path.relative_to(PACKAGE)}:{token.start[0]}: {name}'


def wrong_texts(path):
    tree = ast.parse(path.read_text(encoding='utf-8'))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (isinstance(node, ast.Constant) and isinstance(node.value, str)
                and id(node) not in documentation):
            text = node.value
            for allowed in ALLOWED_TEXTS:
                text = text.replace(allowed, '')
            if re.search(rf'\b({"|".join(TERMS)})\b', text, re.IGNORECASE):
                yield f'{path.relative_to(PACKAGE)}:{node.lineno}: {node.value!r}'


def test_identifiers_have_none_of_the_words():
    assert not [name for path in sources() for name in wrong_names(path)]


def test_file_names_have_none_of_the_words():
    assert not [path.name for path in sources() if relative(path) not in ALLOWED_FILES
                and 'closed_form' not in path.stem
                and (path.stem in NAMES or WORDS.intersection(parts_of(path.stem)))]


def test_texts_for_users_have_none_of_the_terms():
    assert not [text for path in sources() for text in wrong_texts(path)]


def test_names_of_tests_have_none_of_the_terms():
    names = [name for path in sorted(Path(__file__).parent.rglob('test_*.py'))
             for name in re.findall(r'^ *def (test_\w+)', path.read_text(encoding='utf-8'), re.M)]
    assert names
    assert [name for name in names if NOT_IN_TESTS.search(name)] == []


def test_the_exceptions_have_a_reason():
    assert all(ALLOWED_NAMES.values())


@pytest.mark.parametrize(('source', 'words'), [
    ('def tip_way(given): pass', ['tip_way', 'given']),
    ('class KeyPostures: pass', ['KeyPostures']),
    ('two_turns = 1', ['two_turns']),
    ('turn = x.flat[0]', []),
    ('flat = f(closed_form_of(x))', ['flat']),
    ('raise E("a posture", f"the great arc of {x}")', ["'a posture'"]),
])
def test_the_words_are_found(source, words, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), 'PACKAGE', tmp_path)
    path = tmp_path / 'module.py'
    path.write_text(source)
    found = [*wrong_names(path), *wrong_texts(path)]
    assert [line.split(': ', 1)[1] for line in found] == words


def test_a_public_method_has_a_docstring_or_the_one_that_it_overrides():
    classes = {node.name: node for path in sources()
               for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
               if isinstance(node, ast.ClassDef)}

    def is_described(kind, name):
        own = (one for one in kind.body if getattr(one, 'name', None) == name)
        bases = [getattr(base, 'value', base) for base in kind.bases]  # Driver of Driver[P, F, R]
        return any(map(ast.get_docstring, own)) or any(
            is_described(classes[base.id], name) for base in bases
            if getattr(base, 'id', None) in classes)
    missing = [f'{kind.name}.{one.name}' for kind in classes.values() for one in kind.body
               if kind.name[0] != '_' and isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
               and one.name[0] != '_' and not is_described(kind, one.name)]
    assert missing == []
