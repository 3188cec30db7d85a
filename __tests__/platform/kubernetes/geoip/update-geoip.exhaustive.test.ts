import { describeUpdateGeoip } from "./update-geoip";

describeUpdateGeoip({ thorough: true });
