import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The benchmark serves the page below this path, so that both pages share one origin and session.
export default defineConfig({ base: "/react-list/", plugins: [react()] });
