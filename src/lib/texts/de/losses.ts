import type { lossTexts } from "../en/losses.ts";

/** What a gateway has lost or recreated, in German. */
export const lossTextsDe: Readonly<Record<keyof typeof lossTexts, string>> = {
  "loss.file_recreated": "{file} fehlte oder war beschädigt und wurde neu angelegt.",
  "loss.inventory_damaged": "inventory.json war beschädigt und wurde neu angelegt.",
  "loss.inventory_missing": "inventory.json fehlte und wurde neu angelegt.",
  "loss.log_cut":
    "{file} enthält {found} von {synced} synchronisierten Seiten: Bestätigte Änderungen sind verloren.",
  "loss.set_aside": "{file} wurde beiseitegelegt; das Gateway läuft ohne ihren Inhalt weiter.",
  "loss.sessions":
    "mqtt.db ist beschädigt und wurde als {path} beiseitegelegt: Sitzungen von MQTT-Clients, ihre wartenden Nachrichten und Retained-Nachrichten sind verloren.",
  "loss.damage": "{file}: {problem}",
};
