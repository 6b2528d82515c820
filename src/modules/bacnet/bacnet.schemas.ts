import { t } from "elysia";
import { ADDRESS_CHARACTERS_MAX, INSTANCE_MAX } from "../../lib/bacnet/bacnet-objects.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { nameText, textSchema, wholeNumber } from "../api/wire.schemas.ts";
import {
  connectionItem,
  deviceField,
  enabledField,
  entryFields,
  entryKey,
  hostField,
  mapBody,
  mapProblems,
  portField,
  timeoutField,
  unitHealth,
  unitInterval,
  unitItem,
} from "../field/field.schemas.ts";
import { OBJECTS_MAX } from "./object-checks.ts";

const address = t.String({
  minLength: 1,
  maxLength: ADDRESS_CHARACTERS_MAX,
  description:
    "object and property, such as analog-input:3, AV:12:units or multi-state-value:4:state-text[2]; without a property it is the present value",
});

export const objectBody = t.Object(
  {
    key: entryKey,
    address,
    priority: t.Optional(
      wholeNumber({
        minimum: 1,
        maximum: 16,
        description: "priority with which commands write; 16 by default",
      }),
    ),
    cov: t.Optional(
      t.Boolean({ description: "whether the device is asked to report changes, which are read immediately" }),
    ),
    ...entryFields,
  },
  { title: "BacnetObject", additionalProperties: false },
);

const instance = (description: string) => wholeNumber({ minimum: 0, maximum: INSTANCE_MAX, description });
const connectionFields = {
  enabled: enabledField,
  port: portField(47_808),
  network: t.Optional(
    t.Union([wholeNumber({ minimum: 1, maximum: 65_534 }), t.Null()], {
      description:
        "number of the network behind a router in which the device is; null for a device at the address itself",
    }),
  ),
  mac: t.Optional(
    t.Union([t.String({ pattern: TEXT_FORMS.mac }), t.Null()], {
      description: "address of the device in that network, in hexadecimal digits",
    }),
  ),
  timeoutMs: timeoutField,
};
const host = hostField("IPv4 address or host name of the device, or of its router");
const deviceInstance = instance("number of the device");

export const createConnectionBody = t.Object(
  { name: nameText(100), host, deviceInstance, ...connectionFields },
  { title: "CreateBacnetConnection" },
);
export const updateConnectionBody = t.Object(
  {
    name: t.Optional(nameText(100)),
    host: t.Optional(host),
    deviceInstance: t.Optional(deviceInstance),
    ...connectionFields,
  },
  { title: "UpdateBacnetConnection" },
);

const unitFields = {
  intervalMs: t.Optional(unitInterval),
  objects: t.Optional(t.Array(objectBody, { maxItems: OBJECTS_MAX })),
};
export const createUnitBody = t.Object(
  { deviceId: deviceField, ...unitFields },
  { title: "CreateBacnetUnit" },
);
export const updateUnitBody = t.Object(unitFields, { title: "UpdateBacnetUnit" });

const numberOrNull = t.Union([t.Integer(), t.Null()]);
const textOrNull = t.Union([t.String(), t.Null()]);

export const connectionBody = connectionItem("BacnetConnection", {
  deviceInstance: t.Integer(),
  network: numberOrNull,
  mac: textOrNull,
});

export const unitBody = unitItem("BacnetUnit", {
  bacnetUnitId: t.String(),
  objects: t.Array(objectBody),
  health: unitHealth("BacnetUnitHealth", {
    refused: t.Object({ key: t.String(), reason: textSchema }),
    description:
      "objects that the device refuses to read; they are tried again after ten minutes, or when the connection is back",
    notes: "what the device says about objects that it reads: out of service, not reliable, without a value",
  }),
});

export const browseBody = t.Object(
  {
    from: t.Optional(
      wholeNumber({
        minimum: 1,
        maximum: 100_000,
        description: "place of the first object in the list of the device; 1 by default",
      }),
    ),
  },
  { title: "BrowseBacnetObjects" },
);
export const browseResponseBody = t.Object(
  {
    total: t.Integer({ description: "objects in the list of the device" }),
    next: t.Union([t.Integer(), t.Null()], {
      description: "`from` of the next part of the list; null after the last",
    }),
    objects: t.Array(
      t.Object({
        address: t.String({ description: "address of the present value" }),
        name: t.String(),
        description: t.String(),
        value: t.Union([t.Number(), t.String(), t.Boolean(), t.Null()], { description: "present value" }),
        unit: t.Union([t.String(), t.Null()], { description: "UCUM code" }),
        states: t.Array(t.String(), { description: "names of the states of a multi-state or binary object" }),
      }),
    ),
  },
  { title: "BacnetObjects" },
);

export const searchBody = t.Object(
  {
    address: t.Optional(
      hostField(
        "broadcast address of a network, or address of a device, router or BBMD; all networks of the gateway by default",
      ),
    ),
    port: portField(47_808),
    isBbmd: t.Optional(
      t.Boolean({
        description:
          "whether the address is that of a BBMD, at which the gateway registers as a foreign device",
      }),
    ),
    low: t.Optional(instance("lowest number of a device; 0 by default")),
    high: t.Optional(instance("highest number of a device; 4,194,302 by default")),
  },
  { title: "SearchBacnetDevices" },
);
export const foundDeviceBody = t.Object(
  {
    host: t.String(),
    port: t.Integer(),
    deviceInstance: t.Integer(),
    vendorId: t.Integer(),
    network: numberOrNull,
    mac: textOrNull,
  },
  { title: "FoundBacnetDevice" },
);

export const objectMapBody = mapBody(
  "BacnetObjectMapCsv",
  "a line with the names of the columns, then a line for each object; the columns have the names of the fields of an object, or are those of an EDE file",
);
export const objectMapResponseBody = t.Object(
  { objects: t.Array(objectBody), problems: mapProblems("invalid lines") },
  { title: "BacnetObjectMap" },
);
