import { isReservedTopic } from "./reserved-topics.ts";

/** Node of the tree. Maps are created with their first entries, because most nodes need only one of them. */
interface Node<Key, Value> {
  children: Map<string, Node<Key, Value>> | undefined;
  values: Map<Key, Value> | undefined;
}

const newNode = <Key, Value>(): Node<Key, Value> => ({ children: undefined, values: undefined });

/** Values by topic filter and key, found by topic. A leading wildcard does not match reserved topics (MQTT 5, 4.7.2). */
export class TopicTree<Key, Value> {
  readonly #root = newNode<Key, Value>();

  /** Sets the value of a key for a filter. */
  set(filter: string, key: Key, value: Value): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      node.children ??= new Map();
      const child = node.children.get(level) ?? newNode<Key, Value>();
      node.children.set(level, child);
      node = child;
    }
    node.values ??= new Map();
    node.values.set(key, value);
  }

  /** Removes the value of a key for a filter, and empty branches. */
  delete(filter: string, key: Key): void {
    const path: [parent: Node<Key, Value>, level: string, node: Node<Key, Value>][] = [];
    let node = this.#root;
    for (const level of filter.split("/")) {
      const child = node.children?.get(level);
      if (child === undefined) return;
      path.push([node, level, child]);
      node = child;
    }
    node.values?.delete(key);
    for (const [parent, level, { children, values }] of path.reverse()) {
      if ((children?.size ?? 0) > 0 || (values?.size ?? 0) > 0) return;
      parent.children?.delete(level);
    }
  }

  /** Returns the values of all filters that match the topic. A key with several such filters has several values. */
  match(topic: string): Value[] {
    const found: Value[] = [];
    const isReserved = isReservedTopic(topic);
    collect(this.#root, { levels: topic.split("/"), isReserved, found }, 0);
    return found;
  }

  hasMatch(topic: string): boolean {
    return this.match(topic).length > 0;
  }
}

interface Search<Value> {
  readonly levels: readonly string[];
  readonly isReserved: boolean;
  readonly found: Value[];
}

/** Pushes values individually, because they may exceed the max. arguments of a call. */
function addValues<Key, Value>(node: Node<Key, Value> | undefined, found: Value[]): void {
  if (node?.values !== undefined) for (const value of node.values.values()) found.push(value);
}

function collect<Key, Value>(node: Node<Key, Value>, search: Search<Value>, index: number): void {
  const { levels, found } = search;
  const mayMatchAny = index > 0 || !search.isReserved;
  // `#` also matches the level above it (4.7.1.2).
  const rest = mayMatchAny ? node.children?.get("#") : undefined;
  addValues(rest, found);
  if (index === levels.length) {
    addValues(node, found);
    return;
  }
  const any = mayMatchAny ? node.children?.get("+") : undefined;
  if (any !== undefined) collect(any, search, index + 1);
  const exact = node.children?.get(levels[index] ?? "");
  if (exact !== undefined) collect(exact, search, index + 1);
}
