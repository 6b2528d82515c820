import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ApiDocument } from "../../src/http/api-docs.ts";

/** Holds every answer of the tests against the OpenAPI document: its status, its type and its body. */

interface DocumentedResponse {
  readonly content?: Record<string, { schema?: object }>;
}

interface Answer {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

const escapePointer = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

export class ApiContract {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  /** Path templates with fewer parameters first, as the router prefers them. */
  readonly #templates: ReadonlyArray<{ template: string; pattern: RegExp }>;
  /** By JSON pointer of the schema. */
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, "api");
    this.#templates = Object.keys(this.#document.paths)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      }))
      .sort((a, b) => a.template.split("{").length - b.template.split("{").length);
  }

  /** What is wrong with an answer; undefined where nothing is, or no operation is at this path. */
  problemOf({ method, path, status, contentType, body }: Answer): string | undefined {
    const found = this.#find(method, path);
    if (found === undefined) return undefined;
    const { where, pointer: operationPointer, operation } = found;
    const response = operation.responses[String(status)];
    if (response === undefined) return `${where} answers ${status}, which is not documented`;
    const [pointer, resolved] = this.#resolve(response, `${operationPointer}/responses/${status}`);
    const content = resolved.content ?? {};
    const type = contentType?.split(";", 1)[0]?.trim() ?? "";
    const [range] = Object.keys(content).filter((text) => text === type || text === "*/*");
    // A missing or wrong credential has no body for scripts.
    if (type === "" && (status === 401 || Object.keys(content).length === 0)) return undefined;
    if (range === undefined)
      return `${where} answers ${status} as ${type || "nothing"}, which is not documented`;
    if (type !== "application/json" || content[range]?.schema === undefined) return undefined;
    return this.#mismatch(`${where} ${status}`, `${pointer}/content/${escapePointer(range)}/schema`, body);
  }

  /** What is wrong with the schema of a JSON request that was answered with success; undefined where the schema accepts its body. */
  requestProblemOf({ method, path, body }: Pick<Answer, "method" | "path" | "body">): string | undefined {
    const found = this.#find(method, path);
    if (found?.operation.requestBody?.content["application/json"]?.schema === undefined) return undefined;
    const pointer = `${found.pointer}/requestBody/content/${escapePointer("application/json")}/schema`;
    return this.#mismatch(`${found.where} accepts what is not documented`, pointer, body);
  }

  operationIdOf(method: string, path: string): string | undefined {
    return this.#find(method, path)?.operation.operationId;
  }

  #find(method: string, path: string) {
    const pathname = path.split("?", 1)[0] ?? "";
    // What clients make of these is another path.
    if (/\.\.|%|\/\//.test(pathname)) return undefined;
    const verb = method.toLowerCase();
    const found = this.#templates.find(
      ({ template, pattern }) =>
        pattern.test(pathname) && this.#document.paths[template]?.[verb] !== undefined,
    );
    const operation = found && this.#document.paths[found.template]?.[verb];
    if (found === undefined || operation === undefined) return undefined;
    const pointer = `/paths/${escapePointer(found.template)}/${verb}`;
    return { where: `${method} ${found.template}`, pointer, operation };
  }

  #mismatch(subject: string, pointer: string, body: unknown): string | undefined {
    const validate = this.#validator(pointer);
    if (validate(body)) return undefined;
    const [error] = validate.errors ?? [];
    return `${subject}: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
  }

  #resolve(response: object, pointer: string): [string, DocumentedResponse] {
    const reference = "$ref" in response ? String(response.$ref) : undefined;
    if (reference === undefined) return [pointer, response];
    const name = reference.split("/").at(-1) ?? "";
    return [`/components/responses/${name}`, this.#document.components.responses[name] ?? {}];
  }

  #validator(pointer: string): ValidateFunction {
    const validator = this.#validators.get(pointer);
    if (validator !== undefined) return validator;
    const compiled = this.#ajv.compile({ $ref: `api#${pointer}` });
    this.#validators.set(pointer, compiled);
    return compiled;
  }
}
