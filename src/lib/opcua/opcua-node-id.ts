export const NODE_ID_CHARACTERS_MAX = 1_000;
/** Root of the objects of a server: the folder `Objects`. */
export const OBJECTS_FOLDER = "ns=0;i=85";

const NAMESPACE_MAX = 0xffff;
const NUMBER_MAX = 0xffff_ffff;
/**
 * Address of a node. The index of a namespace may change with a project, its name does not. A `;` in a name is written as `%3B` (OPC 10000-6,
 * 5.3.1.11).
 */
const NODE_ID =
  /^(?:ns=(\d{1,5});|nsu=[^;\0]{1,500};)?(?:i=(\d{1,10})|s=[^\0]{1,980}|g=[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|b=(?=[^=])(?:[A-Za-z0-9+/]{4}){0,245}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Returns whether a text is the address of a node (OPC 10000-6, 5.3.1.10), such as `ns=2;s=Press.Pressure`. */
export function isNodeId(text: string): boolean {
  const parts = text.length <= NODE_ID_CHARACTERS_MAX ? NODE_ID.exec(text) : null;
  if (parts === null) return false;
  const [, namespace = "0", number = "0"] = parts;
  return Number(namespace) <= NAMESPACE_MAX && Number(number) <= NUMBER_MAX;
}

const NAMED = /^nsu=([^;]+);/;

/** Returns the namespace name of an address; undefined if it has an index instead. */
export function namespaceOf(address: string): string | undefined {
  const name = NAMED.exec(address)?.[1];
  return name?.replaceAll(/%3b/gi, ";").replaceAll("%25", "%");
}

/** Returns the address with the index of its namespace. */
export const withNamespace = (address: string, index: number): string =>
  address.replace(NAMED, `ns=${index};`);
