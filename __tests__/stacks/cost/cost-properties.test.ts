import { describeCosts } from "./cost-properties";

describeCosts(20);
