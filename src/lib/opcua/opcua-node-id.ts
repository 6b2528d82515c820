export const NODE_ID_CHARACTERS_MAX = 1_000;
/** Root of what a server shows: the folder `Objects`. */
export const OBJECTS_FOLDER = "ns=0;i=85";

const NAMESPACE_MAX = 0xffff;
const NUMBER_MAX = 0xffff_ffff;
const NODE_ID =
  /^(?:ns=(\d{1,5});)?(?:i=(\d{1,10})|s=[^\0]{1,980}|g=[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|b=(?=[^=])(?:[A-Za-z0-9+/]{4}){0,245}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Whether a text is the address of a node (OPC 10000-6, 5.3.1.10), such as `ns=2;s=Press.Pressure`. The library takes every such address. */
export function isNodeId(text: string): boolean {
  const parts = text.length <= NODE_ID_CHARACTERS_MAX ? NODE_ID.exec(text) : null;
  if (parts === null) return false;
  const [, namespace = "0", number = "0"] = parts;
  return Number(namespace) <= NAMESPACE_MAX && Number(number) <= NUMBER_MAX;
}
