import { testEveryControl } from "../support/every_control.ts";

testEveryControl("mouse");
