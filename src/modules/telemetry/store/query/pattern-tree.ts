import type { Definitions } from "../hot/group-format.ts";

/** Node of the pattern tree: the columns from the root to a node are (key, kind) pairs that devices report together. */
export class PatternNode {
  readonly key: string;
  readonly kind: number;
  readonly parent: PatternNode | null;
  /** `key number * 4 + kind`; -1 at the root. */
  readonly column: number;
  readonly depth: number;
  /** Number of the pattern that ends here; -1 if none does. */
  no = -1;
  /** Children by key, one per kind. */
  readonly #children = new Map<string, PatternNode[]>();
  #path: PatternNode[] | null = null;

  constructor(parent: PatternNode | null, key: string, kind: number, column: number) {
    this.parent = parent;
    this.key = key;
    this.kind = kind;
    this.column = column;
    this.depth = parent === null ? 0 : parent.depth + 1;
  }

  /** Nodes from the first column to this node. */
  get path(): PatternNode[] {
    if (this.#path !== null) return this.#path;
    const nodes: PatternNode[] = [];
    for (let node: PatternNode = this; node.parent !== null; node = node.parent) nodes.push(node);
    this.#path = nodes.reverse();
    return this.#path;
  }

  find(key: string, kind: number): PatternNode | undefined {
    return this.#children.get(key)?.[kind];
  }

  add(node: PatternNode): void {
    const byKind = this.#children.get(node.key) ?? [];
    byKind[node.kind] = node;
    this.#children.set(node.key, byKind);
  }
}

/** Max. nodes, so that a device that keeps reporting new combinations of keys does not grow the dictionary without limit. */
const NODES_MAX = 200_000;
/** Max. share of the nodes per tenant. */
const TENANT_PART = 1 / 4;

/** Numbers keys and patterns on the main thread; new definitions are sent once, with the group that first uses them. */
export class PatternTree {
  readonly root = new PatternNode(null, "", -1, -1);
  /** Key name → key number. */
  readonly #keys = new Map<string, number>();
  #nextPattern = 0;
  #nextKey = 0;
  #nodes = 0;
  readonly #nodesMax: number;
  #fresh: Definitions;

  constructor(fresh: Definitions, most = NODES_MAX) {
    this.#fresh = fresh;
    this.#nodesMax = most;
  }

  /** Collects new definitions in another group's list. */
  collectInto(fresh: Definitions): void {
    this.#fresh = fresh;
  }

  load(definitions: Definitions): void {
    /** Key number → name. */
    const names = new Map<number, string>();
    for (const { no, name } of definitions.keys) {
      this.#keys.set(name, no);
      names.set(no, name);
      this.#nextKey = Math.max(this.#nextKey, no + 1);
    }
    for (const { no, columns } of definitions.patterns) {
      let node = this.root;
      for (const column of columns) node = this.child(node, names.get(column >> 2) ?? "", column & 3);
      node.no = no;
      this.#nextPattern = Math.max(this.#nextPattern, no + 1);
    }
  }

  /** Returns the number of a key; undefined if no device has reported it. */
  keyNo(key: string): number | undefined {
    return this.#keys.get(key);
  }

  /** Returns `null` if the tree, or the tenant's share, is full; single columns directly below the root always fit. */
  tryChild(
    node: PatternNode,
    column: { readonly key: string; readonly kind: number },
    tenant: { patternNodes: number },
  ): PatternNode | null {
    const { key, kind } = column;
    const isFull = this.#nodes >= this.#nodesMax || tenant.patternNodes >= this.#nodesMax * TENANT_PART;
    if (isFull && node !== this.root) return null;
    if (node !== this.root) tenant.patternNodes++;
    return this.child(node, key, kind);
  }

  child(node: PatternNode, key: string, kind: number): PatternNode {
    const definitions = node.find(key, kind);
    if (definitions !== undefined) return definitions;
    this.#nodes++;
    const patternNode = new PatternNode(node, key, kind, this.#numberOf(key) * 4 + kind);
    node.add(patternNode);
    return patternNode;
  }

  /** Returns the number of the pattern that ends at this node. */
  number(node: PatternNode): number {
    if (node.no < 0) {
      node.no = this.#nextPattern++;
      this.#fresh.patterns.push({ no: node.no, columns: node.path.map((step) => step.column) });
    }
    return node.no;
  }

  #numberOf(key: string): number {
    const definitions = this.#keys.get(key);
    if (definitions !== undefined) return definitions;
    const no = this.#nextKey++;
    this.#keys.set(key, no);
    this.#fresh.keys.push({ no, name: key });
    return no;
  }
}
