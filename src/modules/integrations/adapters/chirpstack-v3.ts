import { decodeBody } from "../../../lib/body.ts";
import { invalid } from "../../../lib/domain-error.ts";
import { isBase64 } from "../../../lib/downlink-payload.ts";
import { type Fields, hasValue, numberOf, objectOf, objectsOf, textOf } from "./fields.ts";

/**
 * Events of ChirpStack v3 as those of v4. Its JSON marshaler "json_v3" writes EUIs as hexadecimal text and the decoded object as `object`;
 * "json" writes bytes as base64 and the object as text in `objectJSON`.
 */

/** Returns bytes as hexadecimal text, whichever marshaler wrote them. */
function hexOf(value: unknown, byteCount: number): string | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined || /^[\da-f]*$/i.test(text) || !isBase64(text)) return text;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === byteCount ? bytes.toString("hex") : text;
}

function decodedOf({ object, objectJSON }: Fields): Fields | undefined {
  const json = textOf(objectJSON);
  if (objectOf(object) !== undefined || json === undefined) return objectOf(object);
  try {
    return objectOf(decodeBody(Buffer.from(json), "JSON")) ?? {};
  } catch {
    throw invalid("integration.object_json_invalid");
  }
}

/** Gateways with a network server of their own (Milesight) speak this dialect with some other names. */
const receptionOf = ({ gatewayID, mac, rssi, loRaSNR, time }: Fields) => ({
  gatewayId: hexOf(gatewayID ?? mac, 8),
  rssi,
  snr: loRaSNR,
  gwTime: time,
});

function transmissionOf({ frequency, loRaModulationInfo, dataRate }: Fields, isLora: boolean) {
  const spreadingFactor = numberOf(
    objectOf(loRaModulationInfo)?.spreadingFactor ?? objectOf(dataRate)?.spreadFactor,
  );
  return { frequency, ...(isLora && { modulation: { lora: { spreadingFactor } } }) };
}

/** Leaves out what is undefined, because the names of fields tell events apart. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Returns whether a body has the fields of v3. */
export const isVersion3 = (body: Fields): boolean =>
  !Object.hasOwn(body, "deviceInfo") && ["devEUI", "applicationID"].some((name) => Object.hasOwn(body, name));

/** Fields of an uplink that are no measured values, in bodies that a gateway has decoded itself. */
const ofMessage: ReadonlySet<string> = new Set([
  ...["applicationID", "applicationName", "deviceName", "deviceProfileName", "deviceProfileID", "devEUI"],
  ...["devAddr", "tags", "time", "timestamp", "gatewayTime", "publishedAt", "adr", "dr", "fCnt", "fPort"],
  ...[
    "confirmedUplink",
    "rxInfo",
    "txInfo",
    "data",
    "data_encode",
    "object",
    "objectJSON",
    "deduplicationId",
  ],
  ...["type", "error", "gatewayID", "acknowledged", "margin", "batteryLevel", "batteryLevelUnavailable"],
  ...["externalPowerSource", "location", "integrationName", "eventType", "cellularIP"],
]);

/** Returns the values that stand in the body itself, where a gateway decodes frames (Milesight); undefined for any other body. */
function valuesIn(body: Fields): Fields | undefined {
  if (hasValue(body.data) || decodedOf(body) !== undefined) return undefined;
  if (["error", "gatewayID", "acknowledged", "margin", "location"].some((name) => hasValue(body[name])))
    return undefined;
  const values = present(Object.fromEntries(Object.entries(body).filter(([name]) => !ofMessage.has(name))));
  return Object.keys(values).length === 0 ? undefined : values;
}

/** @throws DomainError `integration.object_json_invalid` */
export function fromVersion3(body: Fields): Fields {
  const receptions = objectsOf(body.rxInfo);
  const txInfo = objectOf(body.txInfo);
  const hasError = hasValue(body.error);
  const values = valuesIn(body);
  // The counter of a confirmation is that of the downlink.
  const isAck = typeof body.acknowledged === "boolean" && !hasValue(body.data) && values === undefined;
  const isUplink =
    !hasError &&
    !isAck &&
    (values !== undefined ||
      ["fCnt", "fPort", "data", "object", "objectJSON"].some((name) => Object.hasOwn(body, name)));
  const isLora = receptions.some(({ loRaSNR }) => loRaSNR !== undefined);
  const { error, type } = body;
  return present({
    ...body,
    deviceInfo: {
      devEui: hexOf(body.devEUI, 8),
      deviceName: body.deviceName,
      deviceProfileName: body.deviceProfileName,
      applicationId: typeof body.applicationID === "number" ? String(body.applicationID) : body.applicationID,
      applicationName: body.applicationName,
      tags: body.tags,
    },
    devAddr: hexOf(body.devAddr, 4),
    time:
      receptions.map(({ time }) => textOf(time)).find((time) => time !== undefined) ??
      body.time ??
      body.timestamp ??
      body.publishedAt,
    dr: body.dr ?? txInfo?.dr,
    object: values ?? decodedOf(body),
    rxInfo: isUplink ? receptions.map(receptionOf) : undefined,
    txInfo: isUplink && txInfo !== undefined ? transmissionOf(txInfo, isLora) : undefined,
    // The gateway of a transmission stands outside of `rxInfo`.
    downlinkId: hasValue(body.gatewayID) ? body.gatewayID : undefined,
    ...(isAck && { fCnt: undefined }),
    ...(hasError && { fCnt: undefined, level: "ERROR", code: type, description: error }),
  });
}
