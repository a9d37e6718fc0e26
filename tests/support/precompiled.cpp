#include "precompiled.hpp"

int main() {}
