import {
  AttributeIds,
  BrowseDirection,
  type ClientSession,
  DataType,
  NodeClass,
  type ReferenceDescription,
} from "node-opcua-client";
import type { OpcUaNode, OpcUaVariable } from "./opcua.calls.ts";

/** Nodes below one node that are listed. */
const NODES_MAX = 2_000;
const RESULTS_PER_PART = 500;
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
  while (result.continuationPoint != null && result.continuationPoint.length > 0) {
    const isCut = references.length >= NODES_MAX;
    result = await session.browseNext(result.continuationPoint, isCut);
    if (isCut) return { references: references.slice(0, NODES_MAX), isCut };
    references.push(...(result.references ?? []));
  }
  return { references: references.slice(0, NODES_MAX), isCut: references.length > NODES_MAX };
}

/** Lists the objects and variables directly below a node, each once: a server may lead in circles. */
export async function browseNode(
  session: ClientSession,
  nodeId: string,
): Promise<{ nodes: OpcUaNode[]; isCut: boolean }> {
  const { references, isCut } = await referencesOf(session, nodeId, {
    type: "HierarchicalReferences",
    classes: NodeClass.Object | NodeClass.Variable,
  });
  const nodes = new Map<string, OpcUaNode>();
  for (const reference of references) {
    const id = reference.nodeId.toString();
    const name = reference.displayName.text ?? reference.browseName.name ?? id;
    nodes.set(id, {
      nodeId: id,
      name,
      kind: reference.nodeClass === NodeClass.Variable ? "VARIABLE" : "OBJECT",
    });
  }
  return { nodes: [...nodes.values()], isCut };
}

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
  const unit = (await read("EngineeringUnits")) as { displayName?: { text?: string | null } } | undefined;
  const range = (await read("EURange")) as { low?: number; high?: number } | undefined;
  const texts = (await read("EnumStrings")) as { text?: string | null }[] | undefined;
  const entries = Array.from(texts ?? [], ({ text }, index) => [String(index), text ?? ""] as const);
  const name = unit?.displayName?.text;
  return {
    ...(typeof name === "string" && name !== "" && { unit: name.slice(0, 32) }),
    ...(typeof range?.low === "number" && { min: range.low }),
    ...(typeof range?.high === "number" && { max: range.high }),
    ...(entries.length > 0 && { states: Object.fromEntries(entries) }),
  };
}

/** Reads what variables are. Those that the server does not know are left out. */
export async function describeVariables(
  session: ClientSession,
  nodes: readonly string[],
): Promise<OpcUaVariable[]> {
  const values = await session.read(
    nodes.flatMap((nodeId) => [
      { nodeId, attributeId: AttributeIds.Value },
      { nodeId, attributeId: AttributeIds.UserAccessLevel },
    ]),
    0,
  );
  const described: OpcUaVariable[] = [];
  for (const [index, nodeId] of nodes.entries()) {
    const variant = values[index * 2]?.value;
    const access: unknown = values[index * 2 + 1]?.value?.value;
    if (variant === undefined || variant === null || variant.dataType === DataType.Null) continue;
    const length: unknown = variant.arrayType === 0 ? undefined : variant.value?.length;
    described.push({
      nodeId,
      type: DataType[variant.dataType] ?? "",
      ...(typeof length === "number" && { length }),
      writable: typeof access === "number" && (access & CAN_WRITE) !== 0,
      ...(await propertiesOf(session, nodeId)),
    });
  }
  return described;
}
