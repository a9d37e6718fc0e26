#include "app/program.hpp"

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv); }
