import {
  type Argument,
  type ClientSession,
  DataType,
  findBasicDataType,
  VariantArrayType,
} from "node-opcua-client";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import type { OpcUaCall } from "./opcua.calls.ts";
import { OpcUaTypeError, valueIn, variantOf } from "./opcua-variants.ts";

const MISSING = "status:2155216896"; // BadArgumentsMissing
const TOO_MANY = "status:2162491392"; // BadTooManyArguments

/** Returns the arguments in the order of their definitions, from a list, an object with their names, or a single argument. */
function ordered(params: JsonValue, definitions: readonly Argument[]): JsonValue[] {
  if (params === null) return [];
  if (Array.isArray(params)) return params;
  if (!isJsonObject(params)) return [params];
  const names = definitions.map(({ name }) => name ?? "");
  if (Object.keys(params).some((name) => !names.includes(name))) throw new Error(TOO_MANY);
  return names.flatMap((name) => params[name] ?? []);
}

/** Calls a method of an object with its arguments. Returns the value of a single result, or several results by name or as a list. */
export async function callMethod(
  session: ClientSession,
  { object, method, params }: OpcUaCall,
): Promise<{ status: number; response: JsonValue }> {
  const { inputArguments, outputArguments } = await session.getArgumentDefinition(method);
  const values = ordered(params, inputArguments);
  if (values.length !== inputArguments.length)
    throw new Error(values.length < inputArguments.length ? MISSING : TOO_MANY);
  const call = {
    objectId: object,
    methodId: method,
    inputArguments: await Promise.all(
      inputArguments.map(async ({ dataType, valueRank }, index) => {
        const type: DataType = await findBasicDataType(session, dataType);
        const arrayType = valueRank > 0 ? VariantArrayType.Array : VariantArrayType.Scalar;
        const value = values[index];
        if (typeof value === "object" || value === undefined) throw new OpcUaTypeError(type);
        return variantOf({ dataType: type, arrayType }, value);
      }),
    ),
  };
  const { statusCode, outputArguments: outputs } = await session.call(call);
  const results = (outputs ?? []).map((output): JsonValue => {
    const value = output.dataType === DataType.Null ? undefined : valueIn(output);
    return value === undefined ? null : (value as JsonValue); // nobody changes its lists
  });
  const named = new Map(results.map((value, index) => [outputArguments[index]?.name ?? "", value]));
  const isNamed = named.size === results.length && !named.has("");
  const several = isNamed ? Object.fromEntries(named) : results;
  return { status: statusCode.value, response: results.length > 1 ? several : (results[0] ?? null) };
}
