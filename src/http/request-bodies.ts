/**
 * What a JSON body must be before the framework sees it. Elysia brings a body into the shape of its schema first and checks it
 * afterwards: a list, a text or a number becomes an empty object and passes, at every level. This check comes before that.
 */
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { invalid, unsupported } from "../lib/core/domain-error.ts";
import { isJsonObject } from "../lib/json/json.ts";
import { jsonSchema } from "./json-schema.ts";
import { describeIssue } from "./validation-message.ts";

/** Values of attributes have at most 64 levels; nothing that is accepted needs more than this. */
const DEPTH_MAX = 128;

interface BodyRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly body?: unknown; readonly response?: unknown };
}

/** Returns a field's name for an error, unless it may be a misplaced value: errors repeat no values of a body. */
const shownField = (name: string): string => (/^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(name) ? name : "…");

/** Returns the fields of a schema's objects; undefined if the schema allows any field. */
function fieldsOf(schema: unknown): string[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (isJsonObject(schema.properties)) return Object.keys(schema.properties);
  const members = schema.anyOf ?? schema.allOf;
  if (!Array.isArray(members)) return undefined;
  const lists = members.map(fieldsOf);
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** Fields that a PATCH may contain: changeable fields, and fields that a client read from the object and sends back. */
function allowedFields({ method, hooks: { body, response } }: BodyRoute): ReadonlySet<string> | undefined {
  const changeable = method === "PATCH" ? fieldsOf(body) : undefined;
  const read = isJsonObject(response) ? (fieldsOf(response["200"]) ?? []) : [];
  return changeable && new Set([...changeable, ...read]);
}

/**
 * Returns whether lists and objects are nested deeper than anything needs. A body that is nested thousands of times costs seconds, and the stack,
 * of everything that walks it.
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

/** Elysia takes numbers that are sent as text where they come in a query; a JSON body has numbers of its own. */
class BodyCheck {
  readonly #schema: TSchema;
  readonly #allowed: ReadonlySet<string> | undefined;
  #compiled: TypeCheck<TSchema> | undefined;

  constructor(schema: TSchema, allowed: ReadonlySet<string> | undefined) {
    this.#schema = schema;
    this.#allowed = allowed;
  }

  /** Refuses unknown fields: otherwise a PATCH with a misspelled field would return 200 and change nothing. */
  #ensureAllowed(body: unknown): void {
    if (this.#allowed === undefined || !isJsonObject(body)) return;
    for (const field of Object.keys(body))
      if (!this.#allowed.has(field)) throw invalid("body.field_unknown", { field: shownField(field) });
  }

  /** @throws DomainError `body.invalid`, which names the first field that does not fit and never its value. */
  ensure(body: unknown): void {
    this.#compiled ??= TypeCompiler.Compile(jsonSchema(this.#schema));
    if (this.#compiled.Check(body)) {
      this.#ensureAllowed(body);
      return;
    }
    const issue = this.#compiled.Errors(body).First();
    throw issue === undefined
      ? invalid("body.not_well_formed")
      : invalid("body.invalid", describeIssue(issue));
  }
}

/** Checks the bodies of the routes that declare a schema for theirs; the others read or ignore their bodies themselves. */
export class RequestBodies {
  /** Keyed by method and pattern. */
  readonly #checks = new Map<string, BodyCheck>();

  add(routes: readonly BodyRoute[]): void {
    // Schemas of routes are objects; a text would name a model, and there are none.
    for (const route of routes) {
      const { method, path, hooks } = route;
      if (typeof hooks.body === "object")
        this.#checks.set(`${method} ${path}`, new BodyCheck(hooks.body as TSchema, allowedFields(route)));
    }
  }

  /**
   * Returns the body that the route gets. Runs when the caller is known and the body is read. A missing body counts as an empty object,
   * so that an operation whose fields are all optional needs none.
   * @throws DomainError `body.too_deep`, `body.not_json` or `body.invalid`.
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
