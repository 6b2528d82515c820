/** What a gateway has lost or recreated. */
export const lossTexts = {
  "loss.file_recreated": "{file} was missing or damaged, and has been recreated.",
  "loss.inventory_damaged": "inventory.json was damaged and has been recreated.",
  "loss.inventory_missing": "inventory.json was missing and has been recreated.",
  "loss.log_cut": "{file} has {found} of {synced} synced pages: acknowledged changes are lost.",
  "loss.set_aside": "{file} was set aside; the gateway continues without its content.",
  "loss.sessions":
    "mqtt.db is damaged and was set aside as {path}: sessions of MQTT clients, their queued messages and retained messages are lost.",
  "loss.damage": "{file}: {problem}",
} as const;
