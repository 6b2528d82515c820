import { decodeBody } from "../../../lib/body.ts";
import { invalid } from "../../../lib/domain-error.ts";
import { isBase64 } from "../../../lib/downlink-payload.ts";
import { type Fields, numberOf, objectOf, objectsOf, textOf } from "./fields.ts";

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

const receptionOf = ({ gatewayID, rssi, loRaSNR, time }: Fields) => ({
  gatewayId: hexOf(gatewayID, 8),
  rssi,
  snr: loRaSNR,
  gwTime: time,
});

function transmissionOf({ frequency, loRaModulationInfo }: Fields, isLora: boolean) {
  const spreadingFactor = numberOf(objectOf(loRaModulationInfo)?.spreadingFactor);
  return { frequency, ...(isLora && { modulation: { lora: { spreadingFactor } } }) };
}

/** Leaves out what is undefined, because the names of fields tell events apart. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Returns whether a body has the fields of v3. */
export const isVersion3 = (body: Fields): boolean =>
  !Object.hasOwn(body, "deviceInfo") && ["devEUI", "applicationID"].some((name) => Object.hasOwn(body, name));

/** @throws DomainError `integration.object_json_invalid` */
export function fromVersion3(body: Fields): Fields {
  const receptions = objectsOf(body.rxInfo);
  const txInfo = objectOf(body.txInfo);
  const isUplink =
    body.error === undefined &&
    ["fCnt", "fPort", "data", "object", "objectJSON"].some((name) => Object.hasOwn(body, name));
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
    time: receptions.map(({ time }) => textOf(time)).find((time) => time !== undefined) ?? body.publishedAt,
    dr: body.dr ?? txInfo?.dr,
    object: decodedOf(body),
    rxInfo: isUplink ? receptions.map(receptionOf) : undefined,
    txInfo: isUplink && txInfo !== undefined ? transmissionOf(txInfo, isLora) : undefined,
    // The gateway of a transmission stands outside of `rxInfo`.
    downlinkId: body.gatewayID === undefined ? undefined : 0,
    ...(error !== undefined && { fCnt: undefined, level: "ERROR", code: type, description: error }),
  });
}
