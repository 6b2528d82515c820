import { isReservedTopic } from "./reserved-topics.ts";

interface Node<Value> {
  readonly children: Map<string, Node<Value>>;
  readonly values: Set<Value>;
}

const newNode = <Value>(): Node<Value> => ({ children: new Map(), values: new Set() });

/** Values by topic filter, found by topic. A leading wildcard does not match reserved topics (MQTT 5, 4.7.2). */
export class TopicTree<Value> {
  readonly #root = newNode<Value>();

  add(filter: string, value: Value): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      const child = node.children.get(level) ?? newNode<Value>();
      node.children.set(level, child);
      node = child;
    }
    node.values.add(value);
  }

  /** Removes a value of a filter, and branches that are empty then. */
  delete(filter: string, value: Value): void {
    const path: [parent: Node<Value>, level: string, node: Node<Value>][] = [];
    let node = this.#root;
    for (const level of filter.split("/")) {
      const child = node.children.get(level);
      if (child === undefined) return;
      path.push([node, level, child]);
      node = child;
    }
    node.values.delete(value);
    for (const [parent, level, { children, values }] of path.reverse()) {
      if (children.size > 0 || values.size > 0) return;
      parent.children.delete(level);
    }
  }

  /** Returns the values of all filters that match the topic; one that has several such filters is returned for each of them. */
  match(topic: string): Value[] {
    const found: Value[] = [];
    const isReserved = isReservedTopic(topic);
    collect(this.#root, { levels: topic.split("/"), isReserved, found }, 0);
    return found;
  }
}

interface Search<Value> {
  readonly levels: readonly string[];
  readonly isReserved: boolean;
  readonly found: Value[];
}

function collect<Value>(node: Node<Value>, search: Search<Value>, index: number): void {
  const { levels, found } = search;
  const mayMatchAny = index > 0 || !search.isReserved;
  // `#` also matches the level above it (4.7.1.2).
  const rest = mayMatchAny ? node.children.get("#") : undefined;
  if (rest !== undefined) found.push(...rest.values);
  if (index === levels.length) {
    found.push(...node.values);
    return;
  }
  const any = mayMatchAny ? node.children.get("+") : undefined;
  if (any !== undefined) collect(any, search, index + 1);
  const exact = node.children.get(levels[index] ?? "");
  if (exact !== undefined) collect(exact, search, index + 1);
}
