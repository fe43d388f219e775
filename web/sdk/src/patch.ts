/**
 * JSON Patch (RFC 6902) for `state.delta`: `add`, `remove`, `replace`, `move`, `copy`, `test`.
 *
 * Parts that a patch does not touch keep their identity, so clients can compare objects to find changes. Objects keep the
 * order of their keys, because the hash of a view depends on it.
 */
export interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/** Thrown when a patch does not fit the document. */
export class PatchError extends Error {
  override name = 'PatchError';
}

/** Returns the patched document; the original is not changed. */
export function applyPatch<T>(document: T, operations: readonly Operation[]): T {
  return operations.reduce<unknown>(applyOperation, document) as T;
}

function applyOperation(document: unknown, operation: Operation): unknown {
  const path = pathSegments(operation.path);
  switch (operation.op) {
    case 'add':
      return copyAndChange(
        document,
        path,
        (parent, key) => insert(parent, key, operation.value),
        () => operation.value,
      );
    case 'replace':
      return copyAndChange(
        document,
        path,
        (parent, key) => replace(parent, key, operation.value),
        () => operation.value,
      );
    case 'remove':
      return copyAndChange(document, path, remove, () => null);
    case 'copy':
    case 'move': {
      const from = pathSegments(operation.from ?? '');
      const value = from.reduce(child, document);
      const rest = operation.op === 'move' ? copyAndChange(document, from, remove, () => null) : document;
      return copyAndChange(
        rest,
        path,
        (parent, key) => insert(parent, key, value),
        () => value,
      );
    }
    case 'test': {
      const found = path.reduce(child, document);
      if (JSON.stringify(found) !== JSON.stringify(operation.value)) throw new PatchError(`${operation.path} differs`);
      return document;
    }
    default:
      throw new PatchError(`unknown operation ${operation.op}`);
  }
}

function pathSegments(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`invalid path ${path}`);
  return path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Parent = unknown[] | Record<string, unknown>;

/** Copies all containers along the path and calls `change` on the last one. */
function copyAndChange(
  node: unknown,
  path: string[],
  change: (parent: Parent, key: string) => void,
  whole: () => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return whole();
  const copy = shallowCopy(node, key);
  if (rest.length === 0) change(copy, key);
  else replace(copy, key, copyAndChange(child(node, key), rest, change, whole));
  return copy;
}

function shallowCopy(node: unknown, key: string): Parent {
  if (Array.isArray(node)) return [...(node as unknown[])];
  if (typeof node === 'object' && node !== null) return { ...(node as Record<string, unknown>) };
  throw new PatchError(`the parent of ${key} is not a container`);
}

function child(node: unknown, key: string): unknown {
  if (Array.isArray(node)) return (node as unknown[])[arrayIndex(key, node.length - 1)];
  if (typeof node === 'object' && node !== null && Object.hasOwn(node, key)) {
    return (node as Record<string, unknown>)[key];
  }
  throw new PatchError(`${key} does not exist`);
}

function insert(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent.splice(key === '-' ? parent.length : arrayIndex(key, parent.length), 0, value);
  else define(parent, key, value);
}

function replace(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent[arrayIndex(key, parent.length - 1)] = value;
  else if (Object.hasOwn(parent, key)) define(parent, key, value);
  else throw new PatchError(`${key} does not exist`);
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) parent.splice(arrayIndex(key, parent.length - 1), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw new PatchError(`${key} does not exist`);
}

/** Treats `__proto__` like any other key, as `JSON.parse` does. */
function define(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

function arrayIndex(key: string, last: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (index < 0 || index > last) throw new PatchError(`index ${key} is out of range`);
  return index;
}
