/** Addresses at which devices reach the gateway; set once the ports are known. */
export interface Endpoints {
  /** Host name or address as used by the caller, or from `public_url`. */
  readonly host: string;
  /** `http://host:port` and the base path, without a trailing slash. */
  readonly httpUrl: string;
  /** Port without TLS; absent if switched off. */
  readonly mqttPort?: number;
  /** URL with TLS; absent if TLS is switched off. */
  readonly httpsUrl?: string;
  readonly mqttTlsPort?: number;
}

export interface Transport {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly auth: string;
  readonly payloads: readonly string[];
  readonly example: string;
}

/** Returns the transports to which other programs and network servers post. */
function webhooks(httpUrl: string): Transport[] {
  const auth =
    "X-Webhook-Secret, or Authorization: Bearer, with the tenant's secret; x-tenant-id or ?tenantId=";
  const path = (kind: string) => `${httpUrl}/api/v1/integrations/${kind}/telemetry`;
  const curl = `curl -H 'content-type: application/json' -H "x-webhook-secret: $SECRET" -H "x-tenant-id: $TENANT"`;
  const json = ["application/json"];
  return [
    {
      id: "webhook",
      name: "Webhook",
      url: path("generic"),
      auth,
      payloads: [...json, "application/cbor"],
      example: `${curl} -d '{"externalDeviceId":"sensor-1","telemetry":{"temperature":21.5}}' ${path("generic")}`,
    },
    {
      id: "lorawan-a",
      name: "ChirpStack v4, HTTP integration",
      url: path("lorawan-a"),
      auth,
      payloads: json,
      example: `${curl} -d '{"deviceInfo":{"devEui":"0102030405060708"},"object":{"temperature":21.5}}' '${path("lorawan-a")}?event=up'`,
    },
    {
      id: "lorawan-b",
      name: "The Things Stack v3, webhook",
      url: path("lorawan-b"),
      auth,
      payloads: json,
      example: `${curl} -d '{"end_device_ids":{"dev_eui":"0102030405060708"},"uplink_message":{"decoded_payload":{"temperature":21.5}}}' ${path("lorawan-b")}`,
    },
  ];
}

/** Returns the public catalog of transports for devices, with this gateway's host and ports. */
export function listTransports({ host, httpUrl, mqttPort, httpsUrl, mqttTlsPort }: Endpoints): Transport[] {
  const mqttAuth = "User name: the device's access token; or user name, client id and password of the device";
  const payloads = ["application/json", "application/cbor"];
  const body = '{"temperature":21.5}';
  return [
    ...(mqttPort === undefined
      ? []
      : [
          {
            id: "mqtt",
            name: "MQTT 3.1, 3.1.1 and 5",
            url: `mqtt://${host}:${mqttPort}`,
            auth: mqttAuth,
            payloads,
            example: `mosquitto_pub -h ${host} -p ${mqttPort} -u $TOKEN -q 1 -t v1/devices/me/telemetry -m '${body}'`,
          },
        ]),
    {
      id: "mqtt-ws",
      name: "MQTT over WebSocket",
      url: `${httpUrl.replace(/^http/, "ws")}/mqtt`,
      auth: mqttAuth,
      payloads,
      example: `mqtt.connect("${httpUrl.replace(/^http/, "ws")}/mqtt", { username: TOKEN })`,
    },
    {
      id: "http",
      name: "HTTP",
      url: `${httpUrl}/api/v1/{deviceToken}/telemetry`,
      auth: "The device's access token in the path",
      payloads,
      example: `curl -H 'content-type: application/json' -d '${body}' ${httpUrl}/api/v1/$TOKEN/telemetry`,
    },
    ...(mqttTlsPort === undefined
      ? []
      : [
          {
            id: "mqtts",
            name: "MQTT over TLS",
            url: `mqtts://${host}:${mqttTlsPort}`,
            auth: `${mqttAuth}; or its client certificate`,
            payloads,
            example: `mosquitto_pub --cafile ca.pem -h ${host} -p ${mqttTlsPort} -u $TOKEN -q 1 -t v1/devices/me/telemetry -m '${body}'`,
          },
        ]),
    ...(httpsUrl === undefined
      ? []
      : [
          {
            id: "https",
            name: "HTTP over TLS",
            url: `${httpsUrl}/api/v1/{deviceToken}/telemetry`,
            auth: "The device's access token in the path",
            payloads,
            example: `curl --cacert ca.pem -H 'content-type: application/json' -d '${body}' ${httpsUrl}/api/v1/$TOKEN/telemetry`,
          },
        ]),
    ...webhooks(httpUrl),
  ];
}
