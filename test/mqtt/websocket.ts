import { mqttHandlers, type SocketHandlers, upgrade, websocketHandler } from "../../src/http/sockets.ts";
import type { MqttServer } from "../../src/mqtt/mqtt.types.ts";

/** The HTTP server's part: hands WebSocket connections over to the MQTT server. */
export function serveWebSocket(server: MqttServer) {
  return Bun.serve<SocketHandlers>({
    port: 0,
    fetch(request, http) {
      // `mqtt`, or `mqttv3.1` of older clients.
      const protocol = request.headers.get("Sec-WebSocket-Protocol");
      const options = {
        handlers: mqttHandlers(server, { address: "127.0.0.1", protocol: "ws" }),
        ...(protocol !== null && { protocol }),
      };
      return upgrade(http, request, options) ? undefined : new Response("no", { status: 400 });
    },
    websocket: websocketHandler,
  });
}
