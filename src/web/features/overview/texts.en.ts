export const overviewEn = {
  "overview.devices": "Devices",
  "overview.devicesDetail": "on this site",
  "overview.activeDetail": "seen recently",
  "overview.inactiveDetail": "silent for too long, or never seen",
  "overview.newest": "Newest data",
  "overview.newestNone": "nothing received yet",
  "overview.rate": "Messages per second, last minute",
  "overview.rateValues": "{messages} messages/s · {points} values/s",
  "overview.rateChart": "Messages per second over the last minute, at most {top}",
  "overview.recent": "Last seen",
  "overview.recentNone": "No data yet. Open a device and use its Connect tab to send the first value.",
  "overview.silent": "Silent devices",
  "overview.silentNone": "All devices are active.",
  "overview.allSilent": "All silent",
  "overview.allDevices": "All devices",
  "overview.connectHint":
    "Enter a name and get a ready-made example for mosquitto_pub, curl, Python, Node.js or Arduino, with address and token filled in.",
} as const;
