/**
 * Applies the patches of `state.delta` (RFC 6902: `add`, `remove`, `replace`, `move`, `copy`, `test`).
 *
 * What a patch does not touch stays the same object, so a client can tell by identity what changed. Objects keep the
 * order of their entries, because the hash of a view depends on it.
 */
export interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/** A patch that does not fit what it is applied to. */
export class PatchError extends Error {
  override name = 'PatchError';
}

/** The document with all operations applied; the one given is left as it is. */
export function patched<T>(document: T, operations: readonly Operation[]): T {
  return operations.reduce<unknown>(step, document) as T;
}

function step(document: unknown, operation: Operation): unknown {
  const path = parts(operation.path);
  switch (operation.op) {
    case 'add':
      return changed(
        document,
        path,
        (parent, key) => insert(parent, key, operation.value),
        () => operation.value,
      );
    case 'replace':
      return changed(
        document,
        path,
        (parent, key) => replace(parent, key, operation.value),
        () => operation.value,
      );
    case 'remove':
      return changed(document, path, remove, () => null);
    case 'copy':
    case 'move': {
      const from = parts(operation.from ?? '');
      const value = from.reduce(child, document);
      const rest = operation.op === 'move' ? changed(document, from, remove, () => null) : document;
      return changed(
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

function parts(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`${path} is no path`);
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Parent = unknown[] | Record<string, unknown>;

/** Copies everything on the way to the last part, where `change` is made. */
function changed(
  node: unknown,
  path: string[],
  change: (parent: Parent, key: string) => void,
  whole: () => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return whole();
  const copy = copied(node, key);
  if (rest.length === 0) change(copy, key);
  else replace(copy, key, changed(child(node, key), rest, change, whole));
  return copy;
}

function copied(node: unknown, key: string): Parent {
  if (Array.isArray(node)) return [...(node as unknown[])];
  if (typeof node === 'object' && node !== null) return { ...(node as Record<string, unknown>) };
  throw new PatchError(`${key} is in nothing`);
}

function child(node: unknown, key: string): unknown {
  if (Array.isArray(node)) return (node as unknown[])[place(key, node.length - 1)];
  if (typeof node === 'object' && node !== null && Object.hasOwn(node, key)) {
    return (node as Record<string, unknown>)[key];
  }
  throw new PatchError(`there is no ${key}`);
}

function insert(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent.splice(key === '-' ? parent.length : place(key, parent.length), 0, value);
  else define(parent, key, value);
}

function replace(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent[place(key, parent.length - 1)] = value;
  else if (Object.hasOwn(parent, key)) define(parent, key, value);
  else throw new PatchError(`there is no ${key}`);
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) parent.splice(place(key, parent.length - 1), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw new PatchError(`there is no ${key}`);
}

/** As `JSON.parse` does it: a key named `__proto__` is a key like any other. */
function define(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

function place(key: string, last: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (index < 0 || index > last) throw new PatchError(`there is no place ${key}`);
  return index;
}
