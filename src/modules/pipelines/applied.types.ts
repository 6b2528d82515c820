import type { JsonValue } from "../../lib/json/json.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { OutboundRequest } from "../outbound/outbound.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";

/** Result of pipelines for a message: remaining readings, new attributes, and requests to other programs. */
export interface Applied {
  readonly readings: readonly Reading[];
  readonly attributes: ReadonlyArray<{ scope: AttributeScope; values: ReadonlyMap<string, JsonValue> }>;
  readonly requests: readonly OutboundRequest[];
}
