import type { OperationErrors } from "../../modules/api/operation-errors.ts";

declare module "elysia/types" {
  /** `detail` of routes. */
  interface DocumentDecoration {
    errors?: OperationErrors;
  }
}

/** Keywords of JSON Schema (2020-12) in the document. */
export interface JsonSchema {
  $ref?: string;
  title?: string;
  type?: string | undefined;
  const?: unknown;
  enum?: readonly unknown[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  examples?: readonly unknown[];
  [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;

export interface Response {
  readonly description: string;
  readonly headers?: Record<string, { description: string; schema: JsonSchema }>;
  readonly content?: Content;
}

/** Response shared by several operations; `description` is its meaning for one of them. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: ReadonlyArray<Record<string, readonly string[]>>;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { required: boolean; content: Content };
  readonly responses: Record<string, Response | Reference>;
}

/** OpenAPI details of a route in Elysia. */
export interface RouteDetail {
  readonly summary?: string;
  readonly description?: string;
  readonly errors?: OperationErrors;
  readonly operationId?: string;
  /** Example of the JSON request. */
  readonly example?: unknown;
  readonly tags?: readonly string[];
  readonly hide?: boolean;
  readonly security?: ReadonlyArray<Record<string, readonly string[]>>;
  readonly requestBody?: { required?: boolean; content: Content };
  readonly responses?: Record<string, Response | Reference>;
  readonly parameters?: readonly Parameter[];
  readonly "x-permission"?: string;
}
