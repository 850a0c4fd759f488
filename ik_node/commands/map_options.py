"""What `ik_workspace --map` does: makes or reads a map, scores goals, and places the base."""

import argparse
import csv
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ik_node.collision import read_obstacles
from ik_node.commands.pictures import check_folder
from ik_node.commands.progress import ProgressBar
from ik_node.model.chain import Chain
from ik_node.solvers.registry import make_solver
from ik_node.spatial import pose_from_rpy, quaternion_from_matrix
from ik_node.support.exceptions import InputError
from ik_node.workspace import Placement, ReachabilityMap, reachability_map
from ik_node.workspace.goals import GoalSet, read_goals
from ik_node.workspace.map_picture import draw_goals, scores_from

_MADE_WITH = ('resolution', 'directions', 'turns', 'exact', 'avoid_collisions', 'seed')
OF_MAPS = (*_MADE_WITH, 'obstacles', 'chunks', 'scheduler', 'goals', 'place')
_TURNS = 24  # of goals whose turn is free


def add_map_options(parser: argparse.ArgumentParser) -> None:
    """Add --map, and the options that belong to it."""
    group = parser.add_argument_group(
        'reachability maps', 'Which poses the arm reaches, and where its base must stand')
    group.add_argument('--map', metavar='FILE', type=Path, help='read a map (.reach.npz), or make '
                       'it where there is none; the other options need it')
    group.add_argument('--resolution', metavar='M', type=float, help='edge of a voxel; 0.05')
    group.add_argument('--directions', metavar='N', type=int, help='steps of the inclination; 36')
    group.add_argument('--turns', metavar='N', type=int, help='steps of a turn; 36')
    group.add_argument('--exact', action='store_true', default=None, help='solve for what samples '
                       'did not reach at the border')
    group.add_argument('--avoid-collisions', action='store_true', default=None,
                       help='count only what does not touch')
    group.add_argument('--obstacles', metavar='FILE', type=Path, help='obstacles (YAML), in the '
                       'base frame for the map, with --place in the world for its solves')
    group.add_argument('--seed', metavar='N', type=int, help='of the samples; 0')
    group.add_argument('--chunks', metavar='FOLDER', type=Path, help='keep parts of the map there '
                       'while it is made: less memory, and a run that was ended continues')
    group.add_argument('--scheduler', metavar='ADDRESS', help='make the map on the workers of a '
                       'Dask cluster, such as tcp://10.0.0.1:8786')
    group.add_argument('--goals', metavar='FILE', type=Path, help='goals for the tip in the world '
                       '(.csv, .yaml, or .pcd or .ply with normals), a score for each')
    group.add_argument('--base-pose', metavar=('X', 'Y', 'Z', 'YAW'), nargs=4, type=float,
                       default=(0.0, 0.0, 0.0, 0.0), help='the base in the world, m and degrees')
    group.add_argument('--place', metavar='M', nargs='+', type=float, help='search base poses in '
                       'XMIN XMAX YMIN YMAX [Z | ZMIN ZMAX]; `auto` confirms them')
    group.add_argument('--step', metavar='M', type=float, default=0.05, help='of x and y')
    group.add_argument('--yaw-step', metavar='DEGREES', type=float, default=10.0)
    group.add_argument('--limit', metavar='N', type=int, default=10, help='base poses listed')


def run_map(options: argparse.Namespace, chain: Chain
            ) -> tuple[ReachabilityMap, list[Placement]]:
    """Make or read the map, do with goals what the options say; return the map, and base poses.

    Raises IkError and OSError.
    """
    _check(options)
    goals = None if options.goals is None else read_goals(options.goals)
    obstacles = () if options.obstacles is None else read_obstacles(options.obstacles)
    map = _map(options, chain, () if options.place else obstacles)
    bases: list[Placement] = []
    if goals is None:
        return map, bases
    *xyz, yaw = options.base_pose
    T_world_base = pose_from_rpy(xyz, (0.0, 0.0, np.radians(yaw)))
    turned = goals.turned(_TURNS)
    if options.place:
        avoid = bool(options.avoid_collisions or obstacles or map.info.get('avoid_collisions'))
        print(f'Searching base poses for {len(goals.poses)} goals, which solves confirm'
              f'{", free of collisions" * avoid}: this may take minutes', flush=True)
        bases = map.base_poses(turned, options.place, options.step,
                               np.radians(options.yaw_step), options.limit,
                               make_solver('auto', chain, avoid_collisions=avoid), obstacles)
        _print_bases(bases, len(goals.poses))
        T_world_base = bases[0].T_world_base if bases else T_world_base
    scores, poses = scores_from(map, turned, T_world_base)
    if bases:
        scores = np.where(bases[0].met, scores, 0.0)
    met = scores > 0.0
    where = 'from the first base pose' if bases else 'from the base pose'
    summary = (f'{int(met.sum())} of {len(met)} goals are reached {where}, scores '
               f'{scores.min():.3f} to {scores.max():.3f}, mean {scores.mean():.3f}')
    print(summary)
    for file in options.output:
        (_write_csv if file.suffix == '.csv' else _write_yaml)(file, poses, scores, bases)
    if options.png is not None:
        draw_goals(GoalSet(poses, goals.free_turn), scores, bases or [
            Placement(T_world_base, float(scores.mean()), met)], options.png,
            f'{chain.tree.name}: {summary}')
    for file in (*options.output, *filter(None, [options.png])):
        print(f'Saved: {file.absolute()}', flush=True)
    return map, bases


def _check(options: argparse.Namespace) -> None:
    for file in options.output:
        check_folder(file)
        if file.suffix not in ('.csv', '.yaml', '.yml'):
            raise InputError(f'--output {str(file)!r} must be a file .csv or .yaml')
    check_folder(options.map)
    if options.goals is None and (options.place or options.output):
        raise InputError('--place and --output need --goals FILE')


def _map(options: argparse.Namespace, chain: Chain, obstacles: Sequence[Any]) -> ReachabilityMap:
    """Return the map of the file, which is made where there is none."""
    chosen = {name: getattr(options, name) for name in _MADE_WITH
              if getattr(options, name) is not None}
    if options.map.exists():
        map = ReachabilityMap.load(options.map, chain)
        if options.place:  # then collisions are those of the solves
            chosen.pop('avoid_collisions', None)
        for name, value in chosen.items():
            if map.info.get(name) != value:
                raise InputError(f'{str(options.map)!r} was made with {name} '
                                 f'{map.info.get(name)}, not {value}: choose another file')
        cost = 'read'
    else:
        begun, used = time.monotonic(), time.process_time()
        with ProgressBar() as bar:
            map = reachability_map(chain, **chosen, obstacles=obstacles, progress=bar,
                                   chunks=options.chunks, client=options.scheduler)
        cost = (f'made in {time.monotonic() - begun:.1f} s, '
                f'{time.process_time() - used:.1f} s of processor time')
        map.save(options.map)
    print(f'Map {options.map.absolute()}: {map.structure}')
    print(f'  {map.depth.size} cells, {100.0 * float((map.depth > 0.0).mean()):.1f} % reachable, '
          f'{options.map.stat().st_size / 1e6:.2f} MB, {cost}', flush=True)
    return map


def _print_bases(bases: Sequence[Placement], count: int) -> None:
    print(f'{len(bases)} base poses, confirmed by solves' + ':' * bool(bases))
    for number, base in enumerate(bases, start=1):
        x, y, z, yaw = _x_y_z_yaw(base)
        print(f'  {number:2}: x {x:.3f} y {y:.3f} z {z:.3f} m, yaw {yaw:.1f}°, '
              f'{int(base.met.sum())} of {count} goals, score {base.score:.3f}', flush=True)


def _x_y_z_yaw(base: Placement) -> tuple[float, float, float, float]:
    """Return a base pose in m and degrees."""
    T = base.T_world_base
    x, y, z = T[:3, 3].tolist()
    return x, y, z, float(np.degrees(np.arctan2(T[1, 0], T[0, 0])))


def _write_csv(file: Path, poses: np.ndarray, scores: np.ndarray, _: Any) -> None:
    with open(file, 'w', newline='', encoding='utf-8') as stream:
        rows = csv.writer(stream)
        rows.writerow(('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw', 'score'))
        for T, score in zip(poses, scores):
            rows.writerow([f'{number:.6g}' for number in (
                *T[:3, 3], *quaternion_from_matrix(T[:3, :3]), score)])


def _write_yaml(file: Path, poses: np.ndarray, scores: np.ndarray,
                bases: Sequence[Placement]) -> None:
    listed = [dict(zip(('x', 'y', 'z', 'yaw_degrees'), (round(number, 6)
                                                        for number in _x_y_z_yaw(base))),
                   score=round(base.score, 6), met=np.flatnonzero(base.met).tolist())
              for base in bases]
    goals = [{'position': T[:3, 3].round(6).tolist(),
              'orientation': [round(part, 9) for part in quaternion_from_matrix(T[:3, :3])],
              'score': round(float(score), 6)} for T, score in zip(poses, scores)]
    file.write_text(yaml.safe_dump({'base_poses': listed, 'goals': goals}, sort_keys=False,
                                   default_flow_style=None), encoding='utf-8')
