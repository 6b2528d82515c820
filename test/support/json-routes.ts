import type { TSchema } from "@sinclair/typebox";
import { jsonSchema } from "../../src/http/json-schema.ts";
import type { TestApp } from "./test-app.ts";

export interface JsonRoute {
  readonly method: string;
  /** Pattern, such as `/api/devices/:deviceId`. */
  readonly path: string;
  /** Of the body, as it is checked. */
  readonly schema: TSchema;
}

/** The routes that declare a schema for a JSON body. */
export const jsonRoutes = ({ app }: TestApp): JsonRoute[] =>
  app.http.routes.flatMap(({ method, path, hooks }) =>
    typeof hooks.body === "object" ? [{ method, path, schema: jsonSchema(hooks.body as TSchema) }] : [],
  );
