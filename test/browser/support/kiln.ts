import { beforeAll, expect } from "bun:test";
import { useConsole } from "./console-page.ts";

const MINUTES = 60;

/** A device with an hour of values in the console except for some missing minutes, and what tests of charts need. */
export function useKiln() {
  const ui = useConsole({ isStill: true });
  const begin = Date.now() - MINUTES * 60_000;
  let device: { deviceId: string; profileId: string; credentials: { token: string } };
  beforeAll(async () => {
    device = (await ui.call("POST", "/api/devices", { name: "Kiln 1", deviceType: "kiln" })) as typeof device;
    const { profileId } = (await ui.call("GET", `/api/devices/${device.deviceId}`)) as { profileId: string };
    await ui.call("PATCH", `/api/device-profiles/${profileId}`, {
      keyMetadata: [
        { key: "temperature", unit: "Cel", limits: { lowLow: 0, low: 5, high: 25, highHigh: 28 } },
        { key: "humidity", unit: "%" },
        { key: "pressure", unit: "hPa" },
      ],
    });
    const readings = Array.from({ length: MINUTES }, (_, minute) => ({
      ts: begin + minute * 60_000,
      values: {
        temperature: 20 + minute / 6,
        humidity: 40 + (minute % 7),
        pressure: 1_000 + minute,
        isOpen: minute % 20 < 10,
        speed: minute === 30 ? "jammed" : 100 + minute,
      },
    }));
    const sent = await fetch(`${ui.app.url}/api/v1/${device.credentials.token}/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(readings.filter((_, minute) => minute < 20 || minute === 30 || minute > 40)),
    });
    expect(sent.status).toBe(200);
  });
  const charts = () => ui.page.getByTestId("chart");
  const series = (...keys: string[]) => keys.map((key) => `${device.deviceId}~${key}`).join();
  return {
    ui,
    /** Time of the first sample, epoch ms. */
    begin,
    get deviceId() {
      return device.deviceId;
    },
    charts,
    series,
    explore: (panes: string) => ui.open(`/explore?${new URLSearchParams({ panes, window: "live.7200000" })}`),
    /** Waits until the first chart has at least as many pixels of the color of its first line. */
    waitForLine: (pixels: number) =>
      ui.page.waitForFunction((pixelsMin) => {
        const canvas = document.querySelector<HTMLCanvasElement>(".uplot canvas");
        const { data } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
          data: [],
        };
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === 0x0e && data[i + 1] === 0x5a && data[i + 2] === 0x6b) count++;
        return count >= pixelsMin;
      }, pixels),
  };
}
