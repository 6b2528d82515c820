export const overviewEn = {
  "overview.devices": "Devices",
  "overview.devicesDetail": "known to this site",
  "overview.activeDetail": "seen recently",
  "overview.inactiveDetail": "silent for too long, or never seen",
  "overview.newest": "Newest data",
  "overview.newestNone": "nothing received yet",
  "overview.rate": "Messages per second, last minute",
  "overview.rateValues": "{messages} messages/s · {points} values/s",
  "overview.rateChart": "Messages per second over the last minute, at most {top}",
  "overview.recent": "Last seen",
  "overview.recentNone": "No data yet. Open a device and follow its Connect tab to send the first value.",
  "overview.silent": "Silent devices",
  "overview.silentNone": "Every device reports. Nothing to do here.",
  "overview.allSilent": "All silent",
  "overview.allDevices": "All devices",
  "overview.connectHint":
    "Give it a name and get a ready-made example for mosquitto_pub, curl, Python, Node.js or Arduino, with the real address and token.",
} as const;
