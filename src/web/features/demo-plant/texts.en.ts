export const demoPlantEn = {
  "demo.title": "Demo plant",
  "demo.running": "The demo plant is running: {count} made-up devices.",
  "demo.stopped": "The demo plant is stopped.",
  "demo.history": "Its history is being stored: {percent} %.",
  "demo.open": "Open dashboard",
  "demo.stop": "Stop demo plant",
  "demo.remove": "Remove demo plant",
  "demo.removeWarning": "Its devices, their data, its profiles and its dashboard are deleted.",
} as const;
