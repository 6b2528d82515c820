import { t } from "elysia";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import {
  OPCUA_POLICIES,
  OPCUA_READINGS,
  OPCUA_SECURITY_MODES,
  OPCUA_USERS,
} from "../../lib/opcua/opcua-lists.ts";
import { NODE_ID_CHARACTERS_MAX } from "../../lib/opcua/opcua-node-id.ts";
import { choice, isoTime, nameText, textSchema, wholeNumber } from "../api/wire.schemas.ts";
import {
  connectionItem,
  deviceField,
  enabledField,
  entryFields,
  entryKey,
  hostField,
  interval,
  mapBody,
  mapProblems,
  portField,
  unitHealth,
  unitItem,
} from "../field/field.schemas.ts";
import { ELEMENTS_MAX, ITEMS_MAX } from "./item-checks.ts";

const nodeText = { minLength: 1, maxLength: NODE_ID_CHARACTERS_MAX };
const nodeId = t.String({
  ...nodeText,
  description: "node of the variable, such as ns=2;s=Press.Pressure",
});

const DEADBAND = "changes of a number that are no larger are not stored";

export const itemBody = t.Object(
  {
    key: entryKey,
    address: nodeId,
    length: t.Optional(
      wholeNumber({
        minimum: 1,
        maximum: ELEMENTS_MAX,
        description: "elements of an array, which become the values key_0, key_1 and so on",
      }),
    ),
    fields: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 200,
        description: "fields of a structure, which become the values key_field",
      }),
    ),
    method: t.Optional(
      t.String({
        ...nodeText,
        description: "node of a method of the object at the address, which commands call; nothing is read",
      }),
    ),
    deadband: t.Optional(t.Number({ minimum: 0, description: `${DEADBAND}; that of the unit by default` })),
    ...entryFields,
  },
  { title: "OpcUaItem", additionalProperties: false },
);

const fingerprint = t.String({
  pattern: TEXT_FORMS.sha256,
  description: "SHA-256 of the certificate in hexadecimal digits",
});
const securityMode = choice(OPCUA_SECURITY_MODES, { description: "NONE by default" });
const securityPolicy = choice(OPCUA_POLICIES, {
  description: "NONE by default, and only with the mode NONE",
});
const signIn = choice(OPCUA_USERS, {
  description: "ANONYMOUS by default; CERTIFICATE: with the gateway's certificate",
});
const host = hostField("IP address or host name of the server");
const path = t.String({
  maxLength: 500,
  pattern: TEXT_FORMS.server_path,
  description: "last part of the server's address, such as /server; empty by default",
});

const connectionFields = {
  enabled: enabledField,
  port: portField(4_840),
  path: t.Optional(path),
  securityMode: t.Optional(securityMode),
  securityPolicy: t.Optional(securityPolicy),
  acceptedFingerprint: t.Optional(
    t.Union([fingerprint, t.Null()], {
      description:
        "certificate of the server that is accepted: a person compares it with the one of the server",
    }),
  ),
  signIn: t.Optional(signIn),
  userName: t.Optional(t.Union([t.String({ minLength: 1, maxLength: 200 }), t.Null()])),
  password: t.Optional(
    t.String({
      maxLength: 500,
      description: "of the user; it is sealed, never shown, and forgotten when the address changes",
    }),
  ),
  storesUncertain: t.Optional(
    t.Boolean({ description: "whether values of uncertain quality are stored; false by default" }),
  ),
  reading: t.Optional(
    choice(OPCUA_READINGS, {
      description:
        "SUBSCRIPTION by default: the server reports changes, and what it does not report is polled",
    }),
  ),
  timeoutMs: t.Optional(
    wholeNumber({ minimum: 50, maximum: 60_000, description: "time for a response; 4,000 by default" }),
  ),
};

export const createConnectionBody = t.Object(
  { name: nameText(100), host, ...connectionFields },
  { title: "CreateOpcUaConnection" },
);
export const updateConnectionBody = t.Object(
  { name: t.Optional(nameText(100)), host: t.Optional(host), ...connectionFields },
  { title: "UpdateOpcUaConnection" },
);

const unitFields = {
  intervalMs: t.Optional(interval("time between two samples or reads; 1,000 by default")),
  deadband: t.Optional(
    t.Union([t.Number({ minimum: 0 }), t.Null()], { description: `${DEADBAND}; null by default: all are` }),
  ),
  items: t.Optional(t.Array(itemBody, { maxItems: ITEMS_MAX })),
};
export const createUnitBody = t.Object(
  { deviceId: deviceField, ...unitFields },
  { title: "CreateOpcUaUnit" },
);
export const updateUnitBody = t.Object(unitFields, { title: "UpdateOpcUaUnit" });

const textOrNull = t.Union([t.String(), t.Null()]);

export const connectionBody = connectionItem("OpcUaConnection", {
  path: t.String(),
  securityMode: choice(OPCUA_SECURITY_MODES),
  securityPolicy: choice(OPCUA_POLICIES),
  acceptedFingerprint: textOrNull,
  signIn: choice(OPCUA_USERS),
  userName: textOrNull,
  hasPassword: t.Boolean(),
  storesUncertain: t.Boolean(),
  reading: choice(OPCUA_READINGS),
});

export const unitBody = unitItem("OpcUaUnit", {
  opcuaUnitId: t.String(),
  deadband: t.Union([t.Number(), t.Null()]),
  items: t.Array(itemBody),
  health: unitHealth("OpcUaUnitHealth", {
    refused: t.Object({ key: t.String(), reason: textSchema }),
    description:
      "variables that the server refuses to read; they are tried again after ten minutes, or when the connection is back",
    notes: "what the server says about variables that it reads: bad or uncertain quality, other types",
    reported: "variables whose changes the server reports; the others are polled",
  }),
});

export const endpointsBody = t.Object(
  { host, port: portField(4_840), path: t.Optional(path) },
  { title: "ListOpcUaEndpoints" },
);
export const endpointBody = t.Object(
  {
    mode: choice(OPCUA_SECURITY_MODES),
    policy: t.Union([choice(OPCUA_POLICIES), t.Null()], {
      description: "null for one that is not supported",
    }),
    users: t.Array(choice(OPCUA_USERS), { description: "how users may sign in" }),
    fingerprint: t.Union([fingerprint, t.Null()], {
      description: "certificate of the server, null without one",
    }),
  },
  { title: "OpcUaEndpoint" },
);

export const browseBody = t.Object(
  {
    nodeId: t.Optional(nodeId),
    search: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 100,
        description: "part of the names of the nodes that are listed, on all levels below the node",
      }),
    ),
  },
  { title: "BrowseOpcUaNodes" },
);
export const browseResponseBody = t.Object(
  {
    nodes: t.Array(
      t.Object({
        nodeId: t.String(),
        name: t.String(),
        kind: choice(["OBJECT", "VARIABLE", "METHOD"], {
          description: "objects and variables may have nodes below them",
        }),
        parent: t.Optional(
          t.Object(
            { nodeId: t.String(), name: t.String() },
            { description: "node above one that was found by its name" },
          ),
        ),
      }),
    ),
    isCut: t.Boolean({
      description:
        "whether there are more nodes than listed: at most 2,000 with a supported address, and 200 of a search",
    }),
  },
  { title: "OpcUaNodes" },
);

export const describeBody = t.Object(
  { nodeIds: t.Array(nodeId, { minItems: 1, maxItems: 50 }) },
  { title: "DescribeOpcUaVariables" },
);
export const variableBody = t.Object(
  {
    nodeId: t.String(),
    type: t.String({ description: "name of the built-in type, such as Double" }),
    length: t.Optional(t.Integer({ description: "elements of an array" })),
    fields: t.Optional(t.Array(t.String(), { description: "fields of a structure" })),
    writable: t.Boolean(),
    unit: t.Optional(t.String()),
    min: t.Optional(t.Number()),
    max: t.Optional(t.Number()),
    states: t.Optional(
      t.Record(t.String(), t.String(), { description: "texts of the values of an enumeration" }),
    ),
  },
  { title: "OpcUaVariable" },
);

export const certificateBody = t.Object(
  { pem: t.String(), fingerprint, applicationUri: t.String(), validTo: isoTime },
  { title: "OpcUaClientCertificate" },
);

export const itemMapBody = mapBody(
  "OpcUaItemMapCsv",
  "a line with the names of the columns, then a line for each variable; the columns have the names of the fields of an item",
);
export const itemMapResponseBody = t.Object(
  { items: t.Array(itemBody), problems: mapProblems("invalid lines") },
  { title: "OpcUaItemMap" },
);
