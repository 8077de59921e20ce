#!/usr/bin/env python3
"""formats.py sarif|junit FILE: whether it is what the format's schema asks for; what is wrong, a line each.

SARIF: properties, types, values and what is required of the objects that perdure writes, as in the schema of
SARIF 2.1.0 (OASIS); a property that is not listed here is wrong. JUnit: the elements and attributes that Jenkins
and GitLab read, in the order of Jenkins' schema, and totals that are what they count."""
import json
import re
import sys
import xml.etree.ElementTree as ET

wrong = []


def bad(where, what):
    wrong.append(f'{where}: {what}')


# ---- SARIF: name -> (properties, required). A type is a Python type, a set of words, 'object', ['element'], ['element', 1] (at least
# one, all different), {'*': 'object'}.
MESSAGE = ({'text': str, 'markdown': str}, {'text'})
SARIF = {
    'log': ({'$schema': str, 'version': {'2.1.0'}, 'runs': ['run']}, {'version', 'runs'}),
    'run': ({'tool': 'tool', 'invocations': ['invocation'], 'results': ['result'], 'originalUriBaseIds': {'*': 'artifactLocation'}}, {'tool'}),
    'tool': ({'driver': 'driver'}, {'driver'}),
    'driver': ({'name': str, 'version': str, 'rules': ['rule', 0]}, {'name'}),
    'rule': ({'id': str, 'shortDescription': 'message', 'fullDescription': 'message', 'help': 'message', 'defaultConfiguration': 'configuration'}, {'id'}),
    'configuration': ({'level': {'none', 'note', 'warning', 'error'}}, set()),
    'message': MESSAGE,
    'invocation': ({'executionSuccessful': bool, 'exitCode': int, 'arguments': [str], 'toolExecutionNotifications': ['notification']}, {'executionSuccessful'}),
    'notification': ({'level': {'none', 'note', 'warning', 'error'}, 'message': 'message'}, {'message'}),
    'result': ({'ruleId': str, 'ruleIndex': int, 'level': {'none', 'note', 'warning', 'error'}, 'message': 'message', 'locations': ['location'],
                'relatedLocations': ['location', 0], 'stacks': ['stack', 0], 'codeFlows': ['codeFlow'], 'partialFingerprints': {'*': str},
                'baselineState': {'new', 'unchanged', 'updated', 'absent'}, 'occurrenceCount': int, 'properties': dict}, {'message'}),
    'location': ({'id': int, 'physicalLocation': 'physicalLocation', 'logicalLocations': ['logicalLocation', 0], 'message': 'message'}, set()),
    'physicalLocation': ({'artifactLocation': 'artifactLocation', 'region': 'region'}, {'artifactLocation'}),
    'artifactLocation': ({'uri': str, 'uriBaseId': str}, set()),
    'region': ({'startLine': int, 'startColumn': int}, set()),
    'logicalLocation': ({'fullyQualifiedName': str, 'kind': str}, set()),
    'stack': ({'message': 'message', 'frames': ['frame']}, {'frames'}),
    'frame': ({'location': 'location'}, set()),
    'codeFlow': ({'threadFlows': ['threadFlow', 1]}, {'threadFlows'}),
    'threadFlow': ({'locations': ['threadFlowLocation', 1]}, {'locations'}),
    'threadFlowLocation': ({'location': 'location', 'kinds': [str, 0], 'executionOrder': int, 'importance': {'important', 'essential', 'unimportant'}}, set()),
}


def check_list(where, v, kind):
    if not isinstance(v, list):
        return bad(where, 'not a list')
    if len(kind) > 1 and kind[0] != 'threadFlowLocation':
        texts = [json.dumps(x, sort_keys=True) for x in v]
        if len(set(texts)) != len(texts):
            bad(where, 'equal elements')
    if len(kind) > 1 and len(v) < kind[1]:
        bad(where, 'empty')
    for i, x in enumerate(v):
        check(f'{where}[{i}]', x, kind[0])


def check_object(where, v, name):
    properties, required = SARIF[name]
    if not isinstance(v, dict):
        return bad(where, 'not an object')
    for key in required - v.keys():
        bad(where, f'no {key}')
    for key, x in v.items():
        if key not in properties:
            bad(where, f'{key} is no property of {name}')
        else:
            check(f'{where}.{key}', x, properties[key])


def check(where, v, kind):
    if isinstance(kind, list):
        check_list(where, v, kind)
    elif isinstance(kind, set):
        if v not in kind:
            bad(where, f'{v!r}')
    elif isinstance(kind, dict):
        for key, x in v.items():
            check(f'{where}.{key}', x, kind['*'])
    elif isinstance(kind, str):
        check_object(where, v, kind)
    elif not isinstance(v, kind) or (kind is int and isinstance(v, bool)):
        bad(where, f'{v!r} is no {kind.__name__}')


URI = re.compile(r"(file://)?[A-Za-z0-9/._~%-]*$")


def check_values(run):
    """What the schema says of values, and what refers to what."""
    rules = run['tool']['driver'].get('rules', [])
    for rule in rules:
        for part in ('shortDescription', 'fullDescription', 'help'):
            if not rule.get(part, {}).get('text'):
                bad(rule['id'], f'no {part}')
    for result in run.get('results', []):
        if rules[result['ruleIndex']]['id'] != result['ruleId']:
            bad('ruleIndex', result['ruleId'])
        if not result.get('partialFingerprints'):
            bad('result', 'no fingerprint')

    def walk(v):
        if isinstance(v, dict):
            for key in ('startLine', 'startColumn', 'occurrenceCount'):
                if v.get(key, 1) < 1:
                    bad(key, v[key])
            if 'uri' in v and (not URI.match(v['uri']) or ('uriBaseId' in v and (v['uri'].startswith(('/', 'file:')) or
                                                         v['uriBaseId'] not in run['originalUriBaseIds']))):
                bad('uri', v)
            for x in v.values():
                walk(x)
        elif isinstance(v, list):
            for x in v:
                walk(x)
    walk(run)
    for name, base in run.get('originalUriBaseIds', {}).items():
        if not base['uri'].endswith('/'):
            bad(name, 'does not end with a slash')


def sarif(path):
    with open(path, encoding='utf-8') as f:
        log = json.load(f)
    check('log', log, 'log')
    if not wrong:
        for run in log['runs']:
            check_values(run)


# ---- JUnit: element -> (attributes, required ones, children in order)
JUNIT = {
    'testsuites': ({'name', 'tests', 'failures', 'errors', 'skipped', 'time'}, set(), ['testsuite']),
    'testsuite': ({'name', 'tests', 'failures', 'errors', 'skipped', 'time'}, {'name', 'tests', 'failures', 'errors'}, ['properties', 'testcase', 'system-out', 'system-err']),
    'testcase': ({'name', 'classname', 'time'}, {'name'}, ['skipped', 'error', 'failure', 'system-out', 'system-err']),
    'failure': ({'type', 'message'}, {'type'}, []),
    'error': ({'type', 'message'}, {'type'}, []),
    'skipped': ({'message'}, set(), []),
    'system-out': (set(), set(), []),
}


def check_element(e):
    if e.tag not in JUNIT:
        return bad(e.tag, 'is no element')
    attributes, required, children = JUNIT[e.tag]
    for a in e.attrib.keys() - attributes:
        bad(e.tag, f'has no attribute {a}')
    for a in required - e.attrib.keys():
        bad(e.tag, f'no {a}')
    if [c.tag for c in e] != sorted((c.tag for c in e), key=lambda t: children.index(t) if t in children else -1):
        bad(e.tag, f'children {[c.tag for c in e]}')
    for c in e:
        if c.tag not in children:
            bad(e.tag, f'has no {c.tag} in it')
        check_element(c)


def junit(path):
    root = ET.parse(path).getroot()
    if root.tag != 'testsuites':
        bad(root.tag, 'is not testsuites')
    check_element(root)
    for suite in [root] + root.findall('testsuite'):
        cases = list(suite.iter('testcase'))
        for total, tag in (('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped')):
            if int(suite.get(total)) != sum(c.find(tag) is not None for c in cases):
                bad(suite.tag, f'{total} is {suite.get(total)}')
        if int(suite.get('tests')) != len(cases):
            bad(suite.tag, f'tests is {suite.get("tests")}')
        names = [(c.get('classname'), c.get('name')) for c in cases]
        if len(set(names)) != len(names):
            bad(suite.tag, 'two cases of one name')


{'sarif': sarif, 'junit': junit}[sys.argv[1]](sys.argv[2])
print('\n'.join(wrong))
sys.exit(1 if wrong else 0)
