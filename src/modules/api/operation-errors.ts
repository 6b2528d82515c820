/** Error statuses that an operation can describe. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 408 | 409 | 412 | 413 | 415 | 426 | 429 | 503;

/** Meanings of an operation's errors for the OpenAPI document, as sentences by status. */
export type OperationErrors = { readonly [Status in ErrorStatus]?: string };

/** Errors of operations on the whole gateway. */
export const OPERATORS_ONLY = {
  403: "Requires an owner of the gateway's own tenant with access to all devices.",
} satisfies OperationErrors;

/** Errors of operations that affect all devices of a tenant. */
export const ALL_DEVICES_ONLY = { 403: "Requires access to all devices." } satisfies OperationErrors;
