/**
 * Checks a JSON body before the framework sees it. Elysia first converts a body to its schema and checks it afterwards: a list, a text or a number
 * becomes an empty object and passes, at every level.
 */
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { invalid, unsupported } from "../lib/core/domain-error.ts";
import { isJsonObject } from "../lib/json/json.ts";
import { jsonSchema } from "./json-schema.ts";
import { unknownField, withoutUnknownTop } from "./unknown-fields.ts";
import { describeIssue } from "./validation-message.ts";

/** Max. depth of bodies. Values of attributes have at most 64 levels, and nothing else needs more than this. */
const DEPTH_MAX = 128;

interface BodyRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly body?: unknown; readonly response?: unknown };
}

/** Returns a field name or index for an error, unless it may be a misplaced value: errors repeat no values of a body. */
const shownName = (name: string): string =>
  /^(?:[A-Za-z][A-Za-z0-9_]{0,39}|\d{1,6})$/.test(name) ? name : "…";

/**
 * Operations that ignore unknown fields: sign-in, as required by OAuth (RFC 6749, 3.2), and operations of devices and webhooks, which send more than
 * an operation needs.
 */
const IGNORES_UNKNOWN = /^\/(?:idp|api\/auth|api\/v1\/(?!telemetry\/))/;

/** Returns the schemas of the successful responses of an operation. */
const readSchemas = ({ response }: BodyRoute["hooks"]): TSchema[] =>
  isJsonObject(response)
    ? [response["200"], response["201"]].flatMap((schema) =>
        isJsonObject(schema) ? [schema as TSchema] : [],
      )
    : [];

/**
 * Returns whether lists and objects are nested too deeply. A body with thousands of levels costs seconds, and the stack, in all code that walks it.
 */
export function isTooDeep(body: unknown, depth = 0): boolean {
  if (typeof body !== "object" || body === null || ArrayBuffer.isView(body)) return false;
  if (depth === DEPTH_MAX) return true;
  for (const part of Array.isArray(body) ? body : Object.values(body))
    if (typeof part === "object" && isTooDeep(part, depth + 1)) return true;
  return false;
}

const hasBody = ({ body, headers }: Request): boolean =>
  body !== null && headers.get("content-length") !== "0";

function ensureJson(request: Request): void {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw unsupported("body.not_json");
}

/** Check of one operation. Elysia accepts numbers as text for queries; a JSON body has numbers of its own. */
class BodyCheck {
  readonly #schema: TSchema;
  readonly #read: readonly TSchema[];
  readonly #ignoresUnknown: boolean;
  /** True if unknown fields at the top are ignored, because clients of several servers send fields that one of them does not know. */
  readonly #ignoresUnknownTop: boolean;
  #compiled: TypeCheck<TSchema> | undefined;

  constructor({ method, path, hooks }: BodyRoute) {
    this.#schema = hooks.body as TSchema; // of routes, as is checked before
    this.#read = readSchemas(hooks);
    this.#ignoresUnknown = IGNORES_UNKNOWN.test(path);
    this.#ignoresUnknownTop = method !== "PATCH";
  }

  /**
   * Refuses unknown fields at every depth below the top, and for PATCH also at the top: otherwise a misspelled field would return success and change
   * nothing.
   */
  #ensureKnown(body: unknown): void {
    if (this.#ignoresUnknown) return;
    const sent = this.#ignoresUnknownTop ? withoutUnknownTop(body, this.#schema) : body;
    const pointer = unknownField(sent, this.#schema, this.#read);
    if (pointer === undefined) return;
    const names = pointer.slice(1).split("/");
    throw invalid("body.field_unknown", { field: names.map(shownName).join("/") });
  }

  /** @throws DomainError `body.invalid` with the first invalid field, never its value */
  ensure(body: unknown): void {
    this.#compiled ??= TypeCompiler.Compile(jsonSchema(this.#schema));
    if (this.#compiled.Check(body)) {
      this.#ensureKnown(body);
      return;
    }
    const issue = this.#compiled.Errors(body).First();
    throw issue === undefined
      ? invalid("body.not_well_formed")
      : invalid("body.invalid", describeIssue(issue));
  }
}

/** Checks the bodies of routes with a body schema. Other routes read or ignore their bodies themselves. */
export class RequestBodies {
  /** Keyed by method and pattern. */
  readonly #checks = new Map<string, BodyCheck>();

  add(routes: readonly BodyRoute[]): void {
    // Schemas of routes are objects; a text would name a model, and there are none.
    for (const route of routes) {
      const { method, path, hooks } = route;
      if (typeof hooks.body === "object") this.#checks.set(`${method} ${path}`, new BodyCheck(route));
    }
  }

  /**
   * Returns the body for the route. Runs after the caller is known and the body is read. A missing body counts as an empty object, so that an
   * operation with only optional fields needs none.
   * @throws DomainError `body.too_deep`, `body.not_json` or `body.invalid`
   */
  prepare(request: Request, route: string, body: unknown): unknown {
    if (isTooDeep(body)) throw invalid("body.too_deep");
    const check = this.#checks.get(`${request.method} ${route}`);
    if (check === undefined) return body;
    const isPresent = hasBody(request);
    if (isPresent) ensureJson(request);
    const value = isPresent ? body : {};
    check.ensure(value);
    return value;
  }
}
