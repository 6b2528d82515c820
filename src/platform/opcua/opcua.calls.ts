import type { JsonValue } from "../../lib/json/json.ts";
import type { OpcUaPolicy, OpcUaSecurityMode } from "../../lib/opcua/opcua-lists.ts";

/** Value of a variable between the threads. */
export type OpcUaScalar = number | string | boolean;

/** Fields of a structure. Names of fields in nested structures are joined with `_`. */
export type OpcUaFields = Readonly<Record<string, OpcUaScalar>>;

/** Response of a server for one variable. */
export interface OpcUaRead {
  /** Status code of the protocol (OPC 10000-4, 7.39); 0 is good. */
  readonly status: number;
  /** Absent without a value, and for other types than number, string, boolean, array or structure. */
  readonly value?: OpcUaScalar | readonly OpcUaScalar[] | OpcUaFields;
  /** Epoch ms: source timestamp, or else server timestamp. */
  readonly sampledAt?: number;
}

/** Variable whose changes the server should report. */
export interface OpcUaWatched {
  readonly node: string;
  /** Sampling interval in ms. */
  readonly intervalMs: number;
}

/** Watched variables in their order. */
export interface OpcUaWatch {
  /** Number for fetching their changes. */
  readonly list: number;
  /** Current values of the variables. */
  readonly reads: readonly OpcUaRead[];
  /** Sampling intervals of the server; undefined for variables that it does not report. */
  readonly sampledMs: readonly (number | undefined)[];
}

/** Changes of a variable, the oldest first. */
export interface OpcUaChange {
  readonly index: number;
  readonly reads: readonly OpcUaRead[];
  /** Number of dropped values, because there were too many. */
  readonly left: number;
}

/** Part of the changes that are waiting. */
export interface OpcUaChanges {
  readonly changes: readonly OpcUaChange[];
  /** True if others are waiting, which the next call returns. */
  readonly hasMore: boolean;
}

/** Endpoint of a server. */
export interface OpcUaEndpoint {
  readonly mode: OpcUaSecurityMode;
  /** Undefined if the policy is not supported. */
  readonly policy: OpcUaPolicy | undefined;
  /** Accepted kinds of users. */
  readonly users: readonly ("ANONYMOUS" | "USER_NAME" | "CERTIFICATE")[];
  /** SHA-256 of the certificate of the server as hexadecimal digits; absent without a certificate. */
  readonly fingerprint?: string;
}

export interface OpcUaSession {
  /** URL with an IP address: the name was resolved and checked before. */
  readonly url: string;
  readonly mode: OpcUaSecurityMode;
  readonly policy: OpcUaPolicy;
  /** Fingerprint of the accepted certificate. */
  readonly fingerprint: string | null;
  readonly user:
    | { readonly kind: "ANONYMOUS" }
    | { readonly kind: "USER_NAME"; readonly userName: string; readonly password: string }
    | { readonly kind: "CERTIFICATE" };
  readonly timeoutMs: number;
}

/** Method of an object with its arguments: a list, an object with their names, or a single argument. */
export interface OpcUaCall {
  readonly object: string;
  readonly method: string;
  readonly params: JsonValue;
}

/** Node below another node. */
export interface OpcUaNode {
  readonly nodeId: string;
  readonly name: string;
  readonly kind: "OBJECT" | "VARIABLE" | "METHOD";
  /** Parent of a node that was found by its name. */
  readonly parent?: { readonly nodeId: string; readonly name: string };
}

/** Description of a variable, for its key metadata and for writing. */
export interface OpcUaVariable {
  readonly nodeId: string;
  /** Name of the built-in type, such as `Double`. */
  readonly type: string;
  /** Number of elements of an array; absent for a single value. */
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
  /** Folder of the stored certificate and key of the gateway. */
  readonly secrets: string;
  readonly hostName: string;
}

/** Reasons of failures with texts of their own. Others contain the message of the library. */
export const FAILURE = {
  /** The server has another certificate than the accepted one. */
  certificate: "certificate",
  /** The server does not offer the mode with the policy. */
  endpoint: "endpoint",
  /** The response does not match the request. */
  response: "unexpected response",
  /** The response has more parts than any request needs. */
  tooMuch: "the response has too many parts",
  /** The server ended the connection or the session. */
  ended: "ended (ECONNRESET)",
} as const;

/** Calls of the thread that speaks OPC UA. Times are ms. */
export type OpcUaThreadCalls = {
  start: { args: OpcUaStart; result: undefined };
  endpoints: { args: { url: string; timeoutMs: number }; result: OpcUaEndpoint[] };
  open: { args: { line: number; session: OpcUaSession }; result: undefined };
  read: { args: { line: number; nodes: readonly string[] }; result: OpcUaRead[] };
  watch: { args: { line: number; items: readonly OpcUaWatched[] }; result: OpcUaWatch };
  changes: { args: { line: number; list: number }; result: OpcUaChanges };
  write: { args: { line: number; node: string; value: OpcUaScalar }; result: number };
  callMethod: { args: { line: number; call: OpcUaCall }; result: { status: number; response: JsonValue } };
  browse: {
    args: { line: number; node: string; search?: string };
    result: { nodes: OpcUaNode[]; isCut: boolean };
  };
  describe: { args: { line: number; nodes: readonly string[] }; result: OpcUaVariable[] };
  close: { args: { line: number }; result: undefined };
  /** Creates a new certificate first if `renews`, and ends the connections with the old one. */
  certificate: { args: { renews?: boolean }; result: { certificate: Uint8Array; applicationUri: string } };
};

/** Calls of the main thread. */
export type OpcUaMainCalls = {
  closed: { args: { line: number; reason: string }; result: undefined };
  /** Reports that memory for connecting was released. */
  shrunk: { args: undefined; result: undefined };
};
