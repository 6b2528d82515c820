export const NODE_ID_CHARACTERS_MAX = 1_000;
/** Root of what a server shows: the folder `Objects`. */
export const OBJECTS_FOLDER = "ns=0;i=85";

const NODE_ID =
  /^(?:ns=\d{1,5};)?(?:i=\d{1,10}|s=[^\0]{1,980}|g=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|b=[a-z0-9+/]{1,980}={0,2})$/i;

/** Whether a text is the address of a node (OPC 10000-6, 5.3.1.10), such as `ns=2;s=Press.Pressure`. */
export const isNodeId = (text: string): boolean =>
  text.length <= NODE_ID_CHARACTERS_MAX && NODE_ID.test(text);
