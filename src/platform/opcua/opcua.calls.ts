import type { JsonValue } from "../../lib/json/json.ts";
import type { OpcUaPolicy, OpcUaSecurityMode } from "../../lib/opcua/opcua-lists.ts";

/** Value of a variable on its way between the threads. */
export type OpcUaScalar = number | string | boolean;

/** Fields of a structure; those of a structure in it have both names, with a `_` between them. */
export type OpcUaFields = Readonly<Record<string, OpcUaScalar>>;

/** What a server answered for one variable. */
export interface OpcUaRead {
  /** Status code of the protocol (OPC 10000-4, 7.39); 0 is good. */
  readonly status: number;
  /** Absent without a value, or for one that is not a number, string, boolean, array or structure of them. */
  readonly value?: OpcUaScalar | readonly OpcUaScalar[] | OpcUaFields;
  /** Time of the source, else of the server, epoch ms. */
  readonly sampledAt?: number;
}

/** A variable whose changes the server should report. */
export interface OpcUaWatched {
  readonly node: string;
  /** Time between two samples of the server. */
  readonly intervalMs: number;
}

/** Variables that are watched, in their order. */
export interface OpcUaWatch {
  /** Number under which their changes are fetched. */
  readonly list: number;
  /** Their values now. */
  readonly reads: readonly OpcUaRead[];
  /** Intervals at which the server samples them; undefined for those that it does not report. */
  readonly sampledMs: readonly (number | undefined)[];
}

/** Changes of a variable, the oldest first. */
export interface OpcUaChange {
  readonly index: number;
  readonly reads: readonly OpcUaRead[];
  /** Values that were left out, because there were too many. */
  readonly left: number;
}

/** A way in that a server offers. */
export interface OpcUaEndpoint {
  readonly mode: OpcUaSecurityMode;
  /** Undefined for one that is not supported here. */
  readonly policy: OpcUaPolicy | undefined;
  /** Kinds of users that may sign in. */
  readonly users: readonly ("ANONYMOUS" | "USER_NAME" | "CERTIFICATE")[];
  /** SHA-256 of the server's certificate in hexadecimal digits; absent without one. */
  readonly fingerprint?: string;
}

export interface OpcUaSession {
  /** Address with an IP address: names were looked up and judged before. */
  readonly url: string;
  readonly mode: OpcUaSecurityMode;
  readonly policy: OpcUaPolicy;
  /** Fingerprint of the certificate that a person has accepted. */
  readonly fingerprint: string | null;
  readonly user:
    | { readonly kind: "ANONYMOUS" }
    | { readonly kind: "USER_NAME"; readonly userName: string; readonly password: string }
    | { readonly kind: "CERTIFICATE" };
  readonly timeoutMs: number;
}

/** A method of an object, with its arguments: a list, an object with their names, or the only one. */
export interface OpcUaCall {
  readonly object: string;
  readonly method: string;
  readonly params: JsonValue;
}

/** A node below another one. */
export interface OpcUaNode {
  readonly nodeId: string;
  readonly name: string;
  readonly kind: "OBJECT" | "VARIABLE" | "METHOD";
  /** The node above one that was found by its name. */
  readonly parent?: { readonly nodeId: string; readonly name: string };
}

/** What a variable is, for its key metadata and for writing. */
export interface OpcUaVariable {
  readonly nodeId: string;
  /** Name of the built-in type, such as `Double`. */
  readonly type: string;
  /** Elements of an array now; absent for a single value. */
  readonly length?: number;
  /** Names of the fields of a structure. */
  readonly fields?: string[];
  readonly writable: boolean;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** Texts of the values of an enumeration, by value. */
  readonly states?: Readonly<Record<string, string>>;
}

export interface OpcUaStart {
  /** Folder of the library. */
  readonly folder: string;
  /** Folder in which the gateway's own certificate and key are kept. */
  readonly secrets: string;
  readonly hostName: string;
}

/** Reasons of failures that have texts of their own. The thread says the others in the library's words. */
export const FAILURE = {
  /** The server is not the one that a person has accepted. */
  certificate: "certificate",
  /** The server does not offer the mode with the policy. */
  endpoint: "endpoint",
  /** The server has answered something else than was asked. */
  answer: "unexpected answer",
  /** The server has answered with more than anything here asks for. */
  tooMuch: "the answer has too many parts",
  /** The server has ended the connection or the session. */
  ended: "ended (ECONNRESET)",
} as const;

/** Calls of the thread that speaks OPC UA. Times are ms. */
export type OpcUaThreadCalls = {
  start: { args: OpcUaStart; result: undefined };
  endpoints: { args: { url: string; timeoutMs: number }; result: OpcUaEndpoint[] };
  open: { args: { line: number; session: OpcUaSession }; result: undefined };
  read: { args: { line: number; nodes: readonly string[] }; result: OpcUaRead[] };
  watch: { args: { line: number; items: readonly OpcUaWatched[] }; result: OpcUaWatch };
  changes: { args: { line: number; list: number }; result: OpcUaChange[] };
  write: { args: { line: number; node: string; value: OpcUaScalar }; result: number };
  callMethod: { args: { line: number; call: OpcUaCall }; result: { status: number; answer: JsonValue } };
  browse: {
    args: { line: number; node: string; search?: string };
    result: { nodes: OpcUaNode[]; isCut: boolean };
  };
  describe: { args: { line: number; nodes: readonly string[] }; result: OpcUaVariable[] };
  close: { args: { line: number }; result: undefined };
  /** Makes a new one first if `renews`, and ends the connections that show it. */
  certificate: { args: { renews?: boolean }; result: { certificate: Uint8Array; applicationUri: string } };
};

/** Calls of the main thread. */
export type OpcUaMainCalls = {
  closed: { args: { line: number; reason: string }; result: undefined };
  /** What connecting needed has been given back. */
  shrunk: { args: undefined; result: undefined };
};
