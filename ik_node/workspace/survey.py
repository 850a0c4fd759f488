"""Former module of `ik_node.workspace.analysis`, kept for one release."""

from ik_node._renamed import former_names

__getattr__ = former_names(__name__, {
    'survey': 'analyse_workspace', 'Workspace': 'Workspace', 'FIGURES': 'FIGURES',
}, 'ik_node.workspace.analysis')
