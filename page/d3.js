export { select, selectAll } from "d3-selection";
export { scaleLog } from "d3-scale";
export { axisBottom, axisLeft } from "d3-axis";
export { line } from "d3-shape";
