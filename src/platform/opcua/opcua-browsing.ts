import {
  AttributeIds,
  BrowseDirection,
  type ClientSession,
  DataType,
  NodeClass,
  type ReferenceDescription,
  VariantArrayType,
} from "node-opcua-client";
import { STATES_MAX, UNIT_CHARACTERS_MAX } from "../../lib/keys/key-metadata.ts";
import { isNodeId } from "../../lib/opcua/opcua-node-id.ts";
import type { OpcUaNode, OpcUaVariable } from "./opcua.calls.ts";
import { valueIn } from "./opcua-variants.ts";

/** Max. listed nodes below one node. */
const NODES_MAX = 2_000;
const RESULTS_PER_PART = 500;
/** Max. nodes listed by a search. */
const FOUND_MAX = 200;
/** Max. parts of a response, because an endless response would block the connection. */
const PARTS_MAX = 100;
/** Max. characters of a name or state. The rest is cut off. */
const NAME_CHARACTERS_MAX = 200;
/** Variables described in parallel. One after the other, they would exceed the timeout of a response. */
const DESCRIBED_TOGETHER = 10;
const ALL_RESULTS = 63;
/** Bit of the access level (OPC 10000-3, 8.57). */
const CAN_WRITE = 2;

async function referencesOf(
  session: ClientSession,
  nodeId: string,
  { type, classes }: { type: string; classes: number },
): Promise<{ references: ReferenceDescription[]; isCut: boolean }> {
  session.requestedMaxReferencesPerNode = RESULTS_PER_PART;
  const request = {
    nodeId,
    referenceTypeId: type,
    browseDirection: BrowseDirection.Forward,
    includeSubtypes: true,
    nodeClassMask: classes,
    resultMask: ALL_RESULTS,
  };
  let result = await session.browse(request);
  if (!result.statusCode.isGood()) throw new Error(`status:${result.statusCode.value}`);
  const references = [...(result.references ?? [])];
  for (let parts = 1; result.continuationPoint != null && result.continuationPoint.length > 0; parts++) {
    const isCut = references.length >= NODES_MAX || parts >= PARTS_MAX;
    result = await session.browseNext(result.continuationPoint, isCut);
    if (isCut) return { references: references.slice(0, NODES_MAX), isCut };
    references.push(...(result.references ?? []));
  }
  return { references: references.slice(0, NODES_MAX), isCut: references.length > NODES_MAX };
}

const KINDS = new Map([
  [NodeClass.Variable, "VARIABLE"],
  [NodeClass.Method, "METHOD"],
] as const) as ReadonlyMap<NodeClass, OpcUaNode["kind"]>;

/** Lists the objects, variables and methods directly below a node, each once, because a server may contain circles. */
export async function browseNode(
  session: ClientSession,
  nodeId: string,
): Promise<{ nodes: OpcUaNode[]; isCut: boolean }> {
  const { references, isCut } = await referencesOf(session, nodeId, {
    type: "HierarchicalReferences",
    classes: NodeClass.Object | NodeClass.Variable | NodeClass.Method,
  });
  const nodes = new Map<string, OpcUaNode>();
  let isLeftOut = false;
  for (const reference of references) {
    const id = reference.nodeId.toString();
    if (!isNodeId(id)) {
      isLeftOut = true; // nobody could select it
      continue;
    }
    const name = reference.displayName.text ?? reference.browseName.name ?? id;
    nodes.set(id, {
      nodeId: id,
      name: name.slice(0, NAME_CHARACTERS_MAX),
      kind: KINDS.get(reference.nodeClass) ?? "OBJECT",
    });
  }
  return { nodes: [...nodes.values()], isCut: isCut || isLeftOut };
}

type Parent = NonNullable<OpcUaNode["parent"]>;

/** Lists the nodes below several nodes, without nodes of the standard. */
async function nodesBelow(
  session: ClientSession,
  parents: readonly Parent[],
): Promise<{ nodes: OpcUaNode[]; isCut: boolean }> {
  const lists = await Promise.all(parents.map(({ nodeId }) => browseNode(session, nodeId)));
  const nodes = lists.flatMap((list, index) =>
    list.nodes.map(({ nodeId, name, kind }): OpcUaNode => {
      const { nodeId: id = "", name: above = "" } = parents[index] ?? {};
      return { nodeId, name, kind, parent: { nodeId: id, name: above } };
    }),
  );
  return {
    nodes: nodes.filter(({ nodeId }) => !isStandard(nodeId)),
    isCut: lists.some(({ isCut }) => isCut),
  };
}

/** Finds nodes below a node whose names contain a text, level by level, within the given time: a server may have any number of nodes. */
export async function findNodes(
  session: ClientSession,
  root: string,
  { search, ms }: { search: string; ms: number },
): Promise<{ nodes: OpcUaNode[]; isCut: boolean }> {
  const until = performance.now() + ms;
  const text = search.toLowerCase();
  const found: OpcUaNode[] = [];
  const seen = new Set([root]);
  const open: Parent[] = [{ nodeId: root, name: "" }];
  let isLeftOut = false;
  while (open.length > 0 && found.length < FOUND_MAX && performance.now() < until) {
    const { nodes, isCut } = await nodesBelow(session, open.splice(0, DESCRIBED_TOGETHER));
    isLeftOut ||= isCut;
    for (const node of nodes) {
      if (seen.has(node.nodeId)) continue; // a server may lead in circles
      seen.add(node.nodeId);
      if (node.name.toLowerCase().includes(text)) found.push(node);
      if (node.kind === "OBJECT") open.push(node);
    }
  }
  const isCut = isLeftOut || open.length > 0 || found.length > FOUND_MAX;
  return { nodes: found.slice(0, FOUND_MAX), isCut };
}

/** Returns whether every server has the node, such as the description of the server itself. */
const isStandard = (nodeId: string): boolean => nodeId.startsWith("ns=0;");

interface Properties {
  unit?: string;
  min?: number;
  max?: number;
  states?: Readonly<Record<string, string>>;
}

/** Names of properties (OPC 10000-8) that describe the values of a variable. */
async function propertiesOf(session: ClientSession, nodeId: string): Promise<Properties> {
  const { references } = await referencesOf(session, nodeId, {
    type: "HasProperty",
    classes: NodeClass.Variable,
  });
  const byName = new Map(references.map(({ browseName, nodeId: id }) => [browseName.name, id]));
  const read = async (name: string): Promise<unknown> => {
    const id = byName.get(name);
    if (id === undefined) return undefined;
    return (await session.read({ nodeId: id, attributeId: AttributeIds.Value })).value?.value;
  };
  const [unit, range, texts] = (await Promise.all(
    ["EngineeringUnits", "EURange", "EnumStrings"].map(read),
  )) as [
    { displayName?: { text?: string | null } } | null | undefined,
    { low?: number; high?: number } | null | undefined,
    unknown,
  ];
  const entries = (Array.isArray(texts) ? texts.slice(0, STATES_MAX) : []).map(
    (each: { text?: unknown } | null, index) => {
      const text = typeof each?.text === "string" ? each.text : "";
      return [String(index), text.slice(0, NAME_CHARACTERS_MAX)] as const;
    },
  );
  const name = unit?.displayName?.text;
  return {
    ...(typeof name === "string" && name !== "" && { unit: name.slice(0, UNIT_CHARACTERS_MAX) }),
    ...(isFiniteNumber(range?.low) && isFiniteNumber(range.high) && { min: range.low, max: range.high }),
    ...(entries.length > 0 && { states: Object.fromEntries(entries) }),
  };
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

/** Returns the description of a variable; undefined if the server does not know it. */
async function describeVariable(session: ClientSession, nodeId: string): Promise<OpcUaVariable | undefined> {
  const attributes = [AttributeIds.Value, AttributeIds.UserAccessLevel];
  const [value, level] = await session.read(
    attributes.map((attributeId) => ({ nodeId, attributeId })),
    0,
  );
  const variant = value?.value;
  const access: unknown = level?.value?.value;
  if (variant === undefined || variant === null || variant.dataType === DataType.Null) return undefined;
  const length: unknown = variant.arrayType === VariantArrayType.Scalar ? undefined : variant.value?.length;
  const fields = valueIn(variant);
  return {
    nodeId,
    type: DataType[variant.dataType] ?? "",
    ...(typeof length === "number" && { length }),
    ...(typeof fields === "object" && !Array.isArray(fields) && { fields: Object.keys(fields) }),
    writable: typeof access === "number" && (access & CAN_WRITE) !== 0,
    ...(await propertiesOf(session, nodeId)),
  };
}

/** Reads the descriptions of variables, skipping variables unknown to the server. */
export async function describeVariables(
  session: ClientSession,
  nodes: readonly string[],
): Promise<OpcUaVariable[]> {
  const described: OpcUaVariable[] = [];
  for (let first = 0; first < nodes.length; first += DESCRIBED_TOGETHER) {
    const together = nodes.slice(first, first + DESCRIBED_TOGETHER);
    const variables = await Promise.all(together.map((nodeId) => describeVariable(session, nodeId)));
    described.push(...variables.filter((variable) => variable !== undefined));
  }
  return described;
}
