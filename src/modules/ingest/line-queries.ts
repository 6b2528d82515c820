import { invalid } from "../../lib/domain-error.ts";
import { readBytes } from "../../lib/request-bytes.ts";

/*
 * What clients of InfluxDB 1 ask before their first write. There are no databases, so there is nothing to create and none to list; a client
 * that gets an error instead gives up.
 */

const QUERY_BYTES_MAX = 16 * 1024;
/** A statement, in which quotes may contain semicolons; the second group matches if a quote is not closed. */
const STATEMENT = /(?:(["'])(?:\\.|(?!\1)[^\\])*(?:\1|(\\?$))|[^;"']+)+/gs;

interface Series {
  readonly name?: string;
  readonly columns: readonly string[];
}

/** Series of the answer by the first words of the statement. */
const statements: Readonly<Record<string, readonly Series[]>> = {
  "CREATE DATABASE": [],
  "CREATE RETENTION": [],
  "SHOW DATABASES": [{ name: "databases", columns: ["name"] }],
  "SHOW RETENTION": [{ columns: ["name", "duration", "shardGroupDuration", "replicaN", "default"] }],
};
const NAMED = new Set(["CREATE", "SHOW", "DROP", "ALTER"]);

interface QueryResults {
  readonly results: readonly { readonly statement_id: number; readonly series?: readonly Series[] }[];
}

/** Returns the statements of a request: those of its address, or else of the form in its body. */
export async function readQuery(request: Request, query: string | undefined): Promise<string> {
  if (query !== undefined || request.method === "GET") return query ?? "";
  const body = new TextDecoder().decode(await readBytes(request, QUERY_BYTES_MAX));
  return new URLSearchParams(body).get("q") ?? "";
}

/** @throws DomainError `line_protocol.query_unsupported` for the first statement that asks for anything else. */
export function answerQuery(query: string): QueryResults {
  const results: QueryResults["results"][number][] = [];
  for (const [statement, , unclosed] of query.matchAll(STATEMENT)) {
    if (unclosed !== undefined) throw invalid("line_protocol.query_unclosed");
    const name = nameOf(statement);
    if (name !== "") results.push({ statement_id: results.length, ...seriesOf(name) });
  }
  if (results.length === 0) throw invalid("line_protocol.query_missing");
  return { results };
}

function nameOf(statement: string): string {
  const [verb = "", object = ""] = statement.trim().toUpperCase().split(/\s+/, 2);
  return NAMED.has(verb) ? `${verb} ${object}` : verb;
}

function seriesOf(name: string): { series?: readonly Series[] } {
  const series = Object.hasOwn(statements, name) ? statements[name] : undefined;
  if (series === undefined)
    throw invalid("line_protocol.query_unsupported", { statement: name.slice(0, 40) });
  return series.length === 0 ? {} : { series };
}
