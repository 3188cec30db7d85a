# Lines of JSON with what a type says of its machines.
{type: .InstanceType, cores: .VCpuInfo.DefaultVCpus, mebibytes: .MemoryInfo.SizeInMiB} | tojson
